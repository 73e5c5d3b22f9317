import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { LoudnessMeter, TruePeakMeter } from '../../src/media/audio/loudness.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { readMidi } from './read-midi.ts'
import type { Performance } from '../../src/media/piano/note.ts'
import { pianoAudioEnhance } from '../../tools/piano-audio-enhance/contract.ts'
import { plan } from '../../tools/piano-audio-enhance/plan.ts'
import { run } from '../../tools/piano-audio-enhance/run.ts'
import { generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { firstSeconds, generatePiece } from './generated-pieces.ts'
import { florestan, record, recordingRate, writeWav } from './recordings.ts'
import { f1, scoreNotes } from './note-f1.ts'
import { transcribe } from './run-to-midi.ts'

const folder = await scratchFolder()
const isReady = useTestPacks(join(folder, 'packs'))

async function enhance(path: string) {
  const files = await stageFiles([path])
  const input = pianoAudioEnhance.input.parse({ file_id: fileIdOf(path) })
  const planned = plan(input, files)
  await mkdir(folder, { recursive: true })
  const { context, results, progress } = createTestContext(files, await mkdtemp(join(folder, 'run-')))
  const output = pianoAudioEnhance.output.parse(await run(input, context))
  const [wav, midi] = results
  return { output, planned, progress, wav, midi, sound: await stereoOf(wav?.path ?? '') }
}

/** Interleaved stereo at 48 kHz. */
async function stereoOf(path: string): Promise<Float32Array> {
  const bytes = await ffmpeg('-i', path, '-f', 'f32le', '-ar', '48000', '-ac', '2', '-')
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

const loudnessOf = (sound: Float32Array) => {
  const loudness = new LoudnessMeter()
  loudness.push(sound)
  return loudness.finish() ?? -Infinity
}

describe.skipIf(!isReady)('piano_audio_enhance (REELWRIGHT_TESTDATA)', () => {
  let piece: Performance
  let sound: Float32Array
  const at = (name: string) => join(folder, name)

  beforeAll(async () => {
    piece = firstSeconds(generatePiece('voices', 41), 4)
    sound = await record(piece, { soundFont: florestan ?? '' })
    await writeWav(at('piece.wav'), sound)
  })

  it('renders the notes with the same length, loudness and times, and their MIDI', async () => {
    const { output, planned, progress, wav, midi, sound: resultSound } = await enhance(at('piece.wav'))
    expect([wav?.name, midi?.name, planned.credits]).toEqual(['piece-piano.wav', 'piece.mid', 1])
    expect(await streams(wav?.path ?? '')).toMatchObject([
      { codec_name: 'pcm_s24le', sample_rate: '48000', channels: 2 },
    ])
    expect(Math.abs(resultSound.length / 2 - (sound.length * 48_000) / recordingRate)).toBeLessThan(1)
    expect(loudnessOf(resultSound)).toBeCloseTo(loudnessOf(await stereoOf(at('piece.wav'))), 1)
    expect(output).toMatchObject({
      piano: 'florestan',
      transcriber: 'basic-pitch',
      file_id: '1',
      midi_file_id: '2',
    })
    expect(output.notes).toBeUndefined()
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    const notes = readMidi(await readFile(midi?.path ?? '')).notes
    expect(f1([scoreNotes(piece, notes)])).toBeGreaterThan(0.9)
    // Transcribed again, it has the notes of the source at the same times.
    const { found } = await transcribe(wav?.path ?? '', folder)
    expect(f1([scoreNotes({ notes, pedals: [] }, found.notes)])).toBeGreaterThan(0.9)
  })

  const delay = 'adelay=2300:all=1'
  const oddStereo = ['-ar', '44056', '-ac', '2']
  const clipped = 'slightly clipped after silence, stereo, an odd rate'
  const sources: readonly (readonly [name: string, args: readonly string[]])[] = [
    [clipped, ['-af', `volume=14dB,alimiter=limit=0.98:level=0,${delay}`, ...oddStereo]],
    ['silence first, stereo, an odd rate', ['-af', delay, ...oddStereo]],
    ['very soft', ['-af', 'volume=-30dB']],
  ]

  it.each(sampleCases(sources, 1))('%s', async (name, args) => {
    const path = await generateMedia(at(`${name}.wav`), ['-i', at('piece.wav'), ...args])
    const { output, sound: resultSound } = await enhance(path)
    const source = await stereoOf(path)
    expect(Math.abs(resultSound.length - source.length)).toBeLessThanOrEqual(2)
    const peak = new TruePeakMeter()
    peak.push(resultSound)
    expect(20 * Math.log10(peak.finish())).toBeLessThan(-1)
    const reduction = loudnessOf(source) - loudnessOf(resultSound)
    const isReported = output.notes?.some((note) => note.includes('LU quieter')) ?? false
    expect(Math.abs(reduction) < 0.5 || isReported).toBe(true)
    expect(isReported).toBe(name === clipped)
  })

  it('rejects non-piano sound, like piano_audio_to_midi', async () => {
    const path = await generateMedia(at('hiss.wav'), ['-f', 'lavfi', '-i', 'anoisesrc=d=3:a=0.2:seed=3'])
    await expect(enhance(path)).rejects.toMatchObject({ code: 6014 })
  })

  /** They are requests like the first one above, for recordings of other names. */
  const examples = soakSize<typeof pianoAudioEnhance.examples | readonly []>([], pianoAudioEnhance.examples)
  it.each(examples)('example: $title', async ({ input }) => {
    const path = await generateMedia(at(String(input['file_id'])), ['-i', at('piece.wav')])
    expect((await enhance(path)).output.notes_found).toBeGreaterThan(20)
  })
})
