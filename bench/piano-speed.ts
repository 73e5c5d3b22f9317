import { basename } from 'node:path'
import { BasicMIDI, SpessaSynthProcessor, SpessaSynthSequencer, type BasicSoundBank } from 'spessasynth_core'
import { loadOnnxRuntime } from '../src/engines/onnx/session.ts'
import { openModelThreads } from '../src/engines/onnx/model-threads.ts'
import { resolvePack } from '../src/engines/packs/resolve.ts'
import { openBasicPitch } from '../src/engines/piano/basic-pitch.ts'
import { playPerformance } from '../src/engines/piano/synthesizer.ts'
import { renderPerformance } from '../src/engines/piano/render-performance.ts'
import { soundRate } from '../src/engines/ffmpeg/sound-filters.ts'
import { writeMidi } from '../src/media/midi/write-midi.ts'
import { countedFrames, marginFrames, basicPitchWindow } from '../src/engines/piano/basic-pitch-window.ts'
import { pianoFrameHop } from '../src/media/piano/frames.ts'
import { keyCount, type Performance } from '../src/media/piano/note.ts'
import { notesOf, trackers } from './reference-trackers.ts'
import { generatePiece } from '../test/piano/generated-pieces.ts'
import { abba, measure } from './measure.ts'
import { loadBank, renderSound, singleChunk } from './piano-clips.ts'

/** Length of the sound, seconds, and times of an earlier trial on two cores: the model, and playback. */
const [soundSeconds, trial] = [32, { model: 0.26, played: 32 / 50 }]

/**
 * Returns a table of wall times of transcription and playback on two cores, each the fastest of eight rounds. Compares
 * them with the method of the trial on this machine: one window at a time on two threads with thresholds, and the
 * sequencer of the synthesizer.
 */
export async function speedTable(soundFonts: readonly string[], scratch: string): Promise<string[]> {
  const { signal } = new AbortController()
  const piece = longPiece()
  const first = soundFonts[0] ?? 'salamander'
  const sound = await renderSound({ bank: await loadBank(soundFontPath(first)) }, piece, soundSeconds)
  const row = (
    what: string,
    ours: number,
    reference?: { readonly measured: number; readonly reported?: number },
  ): string => {
    const times = (elapsed: number) => `${elapsed.toFixed(2)} s, ${(soundSeconds / elapsed).toFixed(0)} times`
    const ofTrial = [reference?.measured, reference?.reported].map((elapsed) =>
      elapsed === undefined ? '' : times(elapsed),
    )
    return `| ${[what, times(ours), ...ofTrial].join(' | ')} |`
  }
  await using ours = await ourMethod(sound, signal)
  await using referenceMethod = await trialMethod(sound, signal)
  const model = await fastestOfBoth(ours.model, referenceMethod.model)
  const all = await fastestOfBoth(ours.all, referenceMethod.all)
  const rows = [
    row('transcription: model only', model.ours, { measured: model.measured, reported: trial.model }),
    row('transcription: complete', all.ours, { measured: all.measured }),
  ]
  for (const soundFont of soundFonts) {
    const name = basename(soundFontPath(soundFont))
    const bank = await loadBank(soundFontPath(soundFont))
    const samples = soundSeconds * soundRate
    const playOurs = async () => {
      for await (const part of playPerformance(bank, piece, { rate: soundRate, samples }))
        if (part.length === 0) break
    }
    const playback = await fastestOfBoth(playOurs, () => playInSequence(bank, piece, samples))
    rows.push(
      row(`playback: ${name}`, playback.ours, { measured: playback.measured, reported: trial.played }),
    )
    const rendering = { signal, scratch, timeoutMs: 600_000 }
    const source = { samples, loudness: -20 }
    const wav = () => renderPerformance({ piano: { name, bank }, performance: piece, source }, rendering)
    rows.push(
      row(`rendering as in piano_audio_enhance: ${name}`, await fastest(async () => void (await wav()))),
    )
  }
  const head = `| ${soundSeconds} s of sound, two cores | ours, times real time | method of the trial here | figures of the trial |`
  return [head, '| --- | --- | --- | --- |', ...rows]
}

/** Plays with the sequencer of the synthesizer, in its default block size. */
async function playInSequence(bank: BasicSoundBank, piece: Performance, samples: number): Promise<void> {
  const synth = new SpessaSynthProcessor(soundRate, { eventsEnabled: false })
  await synth.processorInitialized
  synth.soundBankManager.addSoundBank(bank, 'piano')
  const sequencer = new SpessaSynthSequencer(synth)
  sequencer.skipToFirstNoteOn = false
  sequencer.loadNewSongList([BasicMIDI.fromArrayBuffer(Uint8Array.from(writeMidi(piece)).buffer)])
  sequencer.play()
  const block = 128
  for (let at = 0; at < samples; at += block) {
    sequencer.processTick()
    synth.process(new Float32Array(block), new Float32Array(block))
  }
}

function soundFontPath(soundFont: string): string {
  return soundFont.split('#')[0] ?? ''
}

/** Pieces of four voices, one after the other. */
function longPiece(): Performance {
  const every = 10
  const notes = Array.from({ length: Math.ceil(soundSeconds / every) }, (_, at) =>
    generatePiece('voices', 200 + at).notes.map((note) => ({
      ...note,
      start: note.start + at * every,
      end: note.end + at * every,
    })),
  )
  return { notes: notes.flat().filter(({ start }) => start < soundSeconds - 1), pedals: [] }
}

/** A method of transcription: the model only, and the complete transcription. */
interface TranscriptionMethod extends AsyncDisposable {
  readonly model: () => Promise<void>
  readonly all: () => Promise<void>
}

/** The trial: one window at a time, and thresholds. */
async function trialMethod(sound: Float32Array, signal: AbortSignal): Promise<TranscriptionMethod> {
  const { InferenceSession, Tensor } = await loadOnnxRuntime()
  const path = await resolvePack('piano-transcription', { signal })
  const session = await InferenceSession.create(path, { intraOpNumThreads: 2, interOpNumThreads: 1 })
  const [inputName = '', onsetsOutput = '', soundingOutput = ''] = [
    ...session.inputNames,
    ...session.outputNames,
  ]
  const windows = splitWindows(sound)
  const runWindow = async (samples: Float32Array) =>
    await session.run({ [inputName]: new Tensor('float32', samples, [1, basicPitchWindow.samples, 1]) })
  const model = async () => {
    for (const samples of windows) await runWindow(samples)
  }
  const all = async () => {
    const onsets = new Float32Array(windows.length * countedFrames * keyCount)
    const sounding = new Float32Array(onsets.length)
    for (const [at, samples] of windows.entries()) {
      const outputs = await runWindow(samples)
      const middle = (name: string) => {
        const { data } = outputs[name] as { readonly data: Float32Array }
        return data.subarray(marginFrames * keyCount, (marginFrames + countedFrames) * keyCount)
      }
      onsets.set(middle(onsetsOutput), at * countedFrames * keyCount)
      sounding.set(middle(soundingOutput), at * countedFrames * keyCount)
    }
    notesOf({ onsets, sounding }, trackers.trial)
  }
  return { model, all, [Symbol.asyncDispose]: () => session.release() }
}

/** Our method: the model on two threads with a window each, and our tracker. */
async function ourMethod(sound: Float32Array, signal: AbortSignal): Promise<TranscriptionMethod> {
  const module = new URL('./piano-model-thread', import.meta.url)
  const kind = { pack: 'piano-transcription', purpose: 'piano transcription', module } as const
  const threads = await openModelThreads<Float32Array, null>(kind, 2, signal)
  const transcriber = await openBasicPitch(2, signal)
  return {
    async model() {
      await Promise.all(
        splitWindows(sound).map(async (samples) => await threads.run(samples, [samples.buffer])),
      )
    },
    all: async () => void (await transcriber.transcribe(singleChunk(sound), { signal })),
    [Symbol.asyncDispose]: async () => {
      await threads[Symbol.asyncDispose]()
      await transcriber[Symbol.asyncDispose]()
    },
  }
}

function splitWindows(sound: Float32Array): Float32Array<ArrayBuffer>[] {
  const [step, before] = [countedFrames * pianoFrameHop, marginFrames * pianoFrameHop]
  return Array.from({ length: Math.ceil(sound.length / step) }, (_, at) => {
    const samples = new Float32Array(basicPitchWindow.samples)
    const from = Math.max(0, at * step - before)
    samples.set(
      sound.subarray(from, at * step - before + basicPitchWindow.samples),
      from - at * step + before,
    )
    return samples
  })
}

/** Fastest times of our and another method in ABBA rounds, seconds. */
async function fastestOfBoth(
  ours: () => Promise<void>,
  other: () => Promise<void>,
): Promise<{ readonly ours: number; readonly measured: number }> {
  const secondsOf = (work: () => Promise<void>) => async () => (await measure(work)).seconds
  const [oursSeconds, referenceMethod] = await abba(4, secondsOf(ours), secondsOf(other))
  return { ours: Math.min(...oursSeconds), measured: Math.min(...referenceMethod) }
}

async function fastest(work: () => Promise<void>): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < 8; round += 1) rounds.push((await measure(work)).seconds)
  return Math.min(...rounds)
}
