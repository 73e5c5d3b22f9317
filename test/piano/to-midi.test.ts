import { copyFile, open, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { pianoAudioToMidi } from '../../tools/piano-audio-to-midi/contract.ts'
import { generateMedia, scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { recordPiece, transcribeAndScore, type Recording } from './recorded-piece.ts'
import { florestan, record, recordingRate, writeWav } from './recordings.ts'
import { f1, matchNotes, scoreNotes } from './note-f1.ts'
import { transcribe } from './run-to-midi.ts'

const folder = await scratchFolder()
const isReady = useTestPacks(join(folder, 'packs'))

/** Writes a 32-bit number to a file. */
async function writeAt(path: string, at: number, value: number): Promise<void> {
  await using file = await open(path, 'r+')
  await file.write(Buffer.from(Uint32Array.of(value).buffer), 0, 4, at)
}

describe.skipIf(!isReady)('piano_audio_to_midi (REELWRIGHT_TESTDATA)', () => {
  let recording: Recording
  let transcribed: Awaited<ReturnType<typeof f1Of>>
  const at = (name: string) => join(folder, name)

  beforeAll(async () => {
    recording = await recordPiece(at('piece.wav'), 5)
    transcribed = await f1Of(recording.wav)
  })

  const f1Of = (path: string) => transcribeAndScore(path, { truth: recording.piece, folder })

  it('finds notes, times and velocities', () => {
    const { f1: reached, found, output, name, plan, progress } = transcribed
    expect(reached).toBeGreaterThan(0.93)
    expect(name).toBe('piece.mid')
    expect(plan.credits).toBe(1)
    expect(output).toMatchObject({
      notes_found: found.notes.length,
      pedal: false,
      transcriber: 'basic-pitch',
    })
    expect(output.duration).toBeCloseTo(recording.sound.length / recordingRate, 2)
    expect(output).not.toHaveProperty('notes')
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBe(100)
    const timeErrors = matchNotes(recording.piece, found.notes).map(([truth, note]) =>
      Math.abs(note.start - truth.start),
    )
    expect(timeErrors.toSorted((one, other) => one - other)[Math.floor(timeErrors.length / 2)]).toBeLessThan(
      0.012,
    )
    expect(f1([scoreNotes(recording.piece, found.notes, true)])).toBeGreaterThan(0.5)
  })

  it('is deterministic, with any number of threads', async () => {
    const other = await transcribe(recording.wav, folder, 2)
    expect((await readFile(transcribed.path)).equals(await readFile(other.path))).toBe(true)
  })

  it('returns higher velocities for loud notes than for soft ones', async () => {
    const struck = [30, 110, 30, 110, 30, 110, 30, 110].map((velocity, index) => ({
      ...{ pitch: 52 + 2 * index, start: 0.4 * index, end: 0.4 * index + 0.35, velocity },
    }))
    const path = await writeWav(
      at('loud.wav'),
      await record({ notes: struck, pedals: [] }, { soundFont: florestan ?? '' }),
    )
    const { found } = await transcribe(path, folder)
    const pairs = matchNotes({ notes: struck, pedals: [] }, found.notes)
    expect(pairs.length).toBeGreaterThan(6)
    const [soft, loud] = [30, 110].map((velocity) =>
      pairs.filter(([truth]) => truth.velocity === velocity).map(([, note]) => note.velocity),
    )
    expect(Math.min(...(loud ?? []))).toBeGreaterThan(Math.max(...(soft ?? [])))
  })

  it('transcribes the readable part of a truncated file', async () => {
    await copyFile(recording.wav, at('cut.wav'))
    await truncate(at('cut.wav'), 44 + 2 * recordingRate * 4)
    const { output, found } = await transcribe(at('cut.wav'), folder)
    expect(output.duration).toBeLessThan(2.1)
    expect(Math.max(...found.notes.map(({ end }) => end))).toBeLessThan(2.2)
  })

  const rejection = (reason: string) => ({
    code: 6014,
    message: expect.stringContaining(reason),
    hint: expect.stringContaining('piano'),
  })

  const otherSounds = [
    ['silence', 'it is silent', ['-f', 'lavfi', '-i', 'anullsrc=d=3']],
    ['noise', 'like speech or noise', ['-f', 'lavfi', '-i', 'anoisesrc=d=4:a=0.2:seed=3']],
    [
      'speech',
      'like speech or noise',
      ['-i', join(testdata('speech') ?? '', 'aishell-BAC009S0724W0121.wav')],
    ],
  ] as const
  it.each(sampleCases(otherSounds))(
    'reports the kind of sound that is not a piano: %s',
    async (name, reason, source) => {
      const path = await generateMedia(at(`${name}.wav`), source)
      await expect(transcribe(path, folder)).rejects.toMatchObject(rejection(reason))
    },
  )

  const cover = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:d=0.04', '-map', '0:a', '-map', '1:v']
  const codings = [
    // Below the rate of the model.
    ['telephone sound of 8 kHz', 'low.wav', ['-ar', '8000']],
    [
      'a stereo mp3 with a cover',
      'cover.mp3',
      [...cover, '-disposition:v', 'attached_pic', '-ac', '2', '-b:a', '128k'],
    ],
  ] as const

  it.each(sampleCases(codings, 1))('transcribes %s', async (_, name, coding) => {
    const path = await generateMedia(at(name), ['-i', recording.wav, ...coding])
    expect((await f1Of(path)).f1).toBeGreaterThan(0.85)
  })

  it('rejects a file without sound, and one that is too long', async () => {
    const silentVideo = await generateMedia(at('silent.m4a'), [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=d=1',
      '-an',
      '-f',
      'mp4',
    ])
    await expect(transcribe(silentVideo, folder)).rejects.toMatchObject({ code: 6014 })
    const rate = 100
    const tooLong = await writeWav(at('long.wav'), new Float32Array(1), rate)
    // The file is sparse: everything but the first sample is a hole.
    await writeAt(tooLong, 40, 21_601 * 4 * rate)
    await truncate(tooLong, 44 + 21_601 * 4 * rate)
    await expect(transcribe(tooLong, folder)).rejects.toMatchObject({ code: 6016 })
  })

  /** They are requests like those above, for recordings of other names. */
  const examples = soakSize<typeof pianoAudioToMidi.examples | readonly []>([], pianoAudioToMidi.examples)
  it.each(examples)('example: $title', async ({ input }) => {
    const path = await generateMedia(at(String(input['file_id'])), ['-i', recording.wav])
    expect((await f1Of(path)).f1).toBeGreaterThan(0.9)
  })
})
