import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { manifest } from '../src/engines/packs/manifest.ts'
import { configurePacks } from '../src/engines/packs/resolve.ts'
import { basicPitchFrames, openBasicPitchModel } from '../src/engines/piano/basic-pitch.ts'
import { pianoSampleRate, type PianoFrame } from '../src/media/piano/frames.ts'
import { keyCount, type PianoNote } from '../src/media/piano/note.ts'
import { NoteTracker } from '../src/media/piano/note-tracker.ts'
import { conditions, type Condition } from '../test/piano/recording-conditions.ts'
import { f1, matchNotes, scoreNotes, type Score } from '../test/piano/note-f1.ts'
import { notesOf, trackers } from './reference-trackers.ts'
import { clipsOf, singleChunk, type Clip } from './piano-clips.ts'
import { speedTable } from './piano-speed.ts'

// Transcription quality on generated pieces, by SoundFont, condition and kind of piece: F1 of onsets within 50 ms, one to
// one, compared with Basic Pitch's tracker and the thresholds of a trial on the same model output; F1 of onsets and
// offsets; mean error of velocities; speed as a multiple of real time by processor time. A second table has the wall times
// of transcription, and of playback with each SoundFont, on two cores.
// npm run bench -- piano <folder of models> <seeds, such as 101,102,103, or MIDI files> <SoundFont[#program]> ...

const [models = '', pieces = '', ...soundFonts] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'bench-piano-'))
process.env['ORT_DISABLE_TELEMETRY'] = '1'
configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror: models, own: {}, manifest })
const signal = new AbortController().signal

const cells = new Map<string, Map<string, Score[]>>()
const velocityErrors: number[] = []
let [processorSeconds, soundSeconds] = [0, 0]
let speeds: string[] = []

function addScore(cell: string, method: string, score: Score): void {
  const methods = cells.get(cell) ?? new Map<string, Score[]>()
  cells.set(cell, methods)
  methods.set(method, [...(methods.get(method) ?? []), score])
}

function addClipScores(
  { truth, kind, condition }: Clip,
  methods: Readonly<Record<string, readonly PianoNote[]>>,
  font: string,
) {
  for (const [method, notes] of Object.entries(methods)) {
    for (const cell of [`${font}, ${condition}`, `kind: ${kind}`, `all ${font}`, 'all']) {
      addScore(cell, method, scoreNotes(truth, notes))
      addScore(cell, `${method} with ends`, scoreNotes(truth, notes, true))
    }
  }
}

try {
  const model = await openBasicPitchModel(1, signal)
  for (const soundFont of soundFonts) {
    const conditionNames = Object.keys(conditions) as Condition[]
    for await (const clip of clipsOf({
      soundFont,
      pieces: pieces.split(','),
      conditionNames,
    })) {
      const start = process.cpuUsage()
      const tracker = new NoteTracker()
      const frames: Pick<PianoFrame, 'onsets' | 'sounding'>[] = []
      const ours: PianoNote[] = []
      for await (const frame of basicPitchFrames(model, singleChunk(clip.sound), { signal })) {
        frames.push({ onsets: frame.onsets.slice(), sounding: frame.sounding.slice() })
        ours.push(...tracker.push(frame))
      }
      ours.push(...tracker.finish())
      const { user, system } = process.cpuUsage(start)
      processorSeconds += (user + system) / 1e6
      soundSeconds += clip.sound.length / pianoSampleRate
      const all = (field: 'onsets' | 'sounding') => {
        const values = new Float32Array(frames.length * keyCount)
        for (const [at, frame] of frames.entries()) values.set(frame[field], at * keyCount)
        return values
      }
      const activations = { onsets: all('onsets'), sounding: all('sounding') }
      const others = Object.entries(trackers).map(
        ([method, thresholds]) => [method, notesOf(activations, thresholds)] as const,
      )
      addClipScores(clip, { ours, ...Object.fromEntries(others) }, basename(soundFont))
      for (const [truth, note] of matchNotes(clip.truth, ours))
        velocityErrors.push(note.velocity - truth.velocity)
    }
  }
  await model[Symbol.asyncDispose]()
  speeds = await speedTable(soundFonts, folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}

const methods = ['ours', ...Object.keys(trackers)].flatMap((method) => [method, `${method} with ends`])
console.log(`| clips | ${methods.join(' | ')} |`)
console.log(`| --- |${' --- |'.repeat(methods.length)}`)
for (const [cell, scores] of cells) {
  console.log(`| ${cell} | ${methods.map((method) => f1(scores.get(method) ?? []).toFixed(3)).join(' | ')} |`)
}
const meanError = velocityErrors.reduce((sum, error) => sum + Math.abs(error), 0) / velocityErrors.length
console.log(
  `velocity: mean error ${meanError.toFixed(1)}; speed: ${(soundSeconds / processorSeconds).toFixed(0)} times real time`,
)
console.log(speeds.join('\n'))
