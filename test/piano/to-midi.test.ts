import { copyFile, open, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Performance } from '../../src/media/piano/note.ts'
import { pianoAudioToMidi } from '../../tools/piano-audio-to-midi/contract.ts'
import { generateMedia, scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import { conditions } from './recording-conditions.ts'
import { firstSeconds, generatePiece } from './generated-pieces.ts'
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

interface Recording {
  readonly piece: Performance
  readonly sound: Float32Array
  readonly wav: string
}

/** Records the first seconds of a piece. The accuracy is measured on long ones, which contain enough notes. */
async function recordPiece(name: string, seconds: number): Promise<Recording> {
  const piece = firstSeconds(generatePiece('alberti', 21), seconds)
  const sound = await record(piece, { soundFont: florestan ?? '' })
  return { piece, sound, wav: await writeWav(join(folder, name), sound) }
}

describe.skipIf(!isReady)('piano_audio_to_midi (REELWRIGHT_TESTDATA)', () => {
  let long: Recording
  let short: Recording
  const at = (name: string) => join(folder, name)

  beforeAll(async () => {
    long = await recordPiece('piece.wav', 7)
    short = await recordPiece('short.wav', 4)
  })

  const f1Of = async (path: string, truth = short.piece) => {
    const transcription = await transcribe(path, folder)
    return { ...transcription, f1: f1([scoreNotes(truth, transcription.found.notes)]) }
  }

  it('finds notes, times and velocities', async () => {
    const { f1: reached, found, output, name, plan, progress } = await f1Of(long.wav, long.piece)
    expect(reached).toBeGreaterThan(0.93)
    expect(name).toBe('piece.mid')
    expect(plan.credits).toBe(1)
    expect(output).toMatchObject({
      notes_found: found.notes.length,
      pedal: false,
      transcriber: 'basic-pitch',
    })
    expect(output.duration).toBeCloseTo(long.sound.length / recordingRate, 2)
    expect(output).not.toHaveProperty('notes')
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBe(100)
    const timeErrors = matchNotes(long.piece, found.notes).map(([truth, note]) =>
      Math.abs(note.start - truth.start),
    )
    expect(timeErrors.toSorted((one, other) => one - other)[Math.floor(timeErrors.length / 2)]).toBeLessThan(
      0.012,
    )
    expect(f1([scoreNotes(long.piece, found.notes, true)])).toBeGreaterThan(0.5)
  })

  it('is deterministic, with any number of threads', async () => {
    const [one, other] = [await transcribe(short.wav, folder, 2), await transcribe(short.wav, folder, 1)]
    expect((await readFile(one.path)).equals(await readFile(other.path))).toBe(true)
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

  // By container and codec: a cover, more channels than two, and a rate below that of the model.
  const codings = [
    ['a stereo mp3 with a cover', 'cover.mp3', ['-ac', '2', '-b:a', '128k'], true],
    ['a sample rate of 37.8 kHz', 'odd.flac', ['-ar', '37800'], false],
    ['six channels', 'six.ogg', ['-ac', '6', '-c:a', 'flac', '-strict', '-2'], false],
    ['AAC', 'piece.m4a', ['-c:a', 'aac'], false],
    ['telephone sound of 8 kHz', 'low.wav', ['-ar', '8000'], false],
  ] as const

  it.each(sampleCases(codings, 3))('transcribes %s', async (_, name, args, isCovered) => {
    const cover = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:d=0.04', '-map', '0:a', '-map', '1:v']
    const path = await generateMedia(at(name), [
      '-i',
      short.wav,
      ...(isCovered ? [...cover, '-disposition:v', 'attached_pic'] : []),
      ...args,
    ])
    expect((await f1Of(path)).f1).toBeGreaterThan(0.85)
  })

  it('keeps times after leading silence', async () => {
    const late = 3.21
    const silence = new Float32Array(Math.round(late * recordingRate))
    const path = await writeWav(at('late.wav'), Float32Array.from([...silence, ...long.sound]))
    const moved = {
      ...long.piece,
      notes: long.piece.notes.map((note) => ({ ...note, start: note.start + late, end: note.end + late })),
    }
    expect((await f1Of(path, moved)).f1).toBeGreaterThan(0.93)
  })

  it.each(sampleCases(['noise and reverb', 'noise', 'reverb', 'low-pass'] as const))(
    'tolerates %s',
    async (condition) => {
      const path = await writeWav(at(`${condition}.wav`), conditions[condition](short.sound, recordingRate))
      expect((await f1Of(path)).f1).toBeGreaterThan(0.85)
    },
  )

  it.each(sampleCases(['repeated', 'arpeggios', 'leaps', 'scales'] as const))(
    'transcribes %s',
    async (kind) => {
      const truth = firstSeconds(generatePiece(kind, 22), 3)
      const path = await writeWav(at(`${kind}.wav`), await record(truth, { soundFont: florestan ?? '' }))
      expect((await f1Of(path, truth)).f1).toBeGreaterThan(0.75)
    },
  )

  const longest = soakSize(15, 30)

  it(`accepts three soft notes in ${longest} s`, async () => {
    const every = 0.23 * longest
    const notes = [60, 64, 67].map((pitch, index) => ({
      pitch,
      start: 4 + every * index,
      end: 7 + every * index,
      velocity: 25,
    }))
    const few = await record({ notes, pedals: [] }, { soundFont: florestan ?? '', seconds: longest })
    const path = await writeWav(
      at('few.wav'),
      few.map((sample) => sample * 0.02),
    )
    expect((await f1Of(path, { notes, pedals: [] })).f1).toBeGreaterThan(0.8)
  })

  it('transcribes the readable part of a truncated file', async () => {
    await copyFile(short.wav, at('cut.wav'))
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

  it.each([
    ['silence', 'anullsrc=d=3', 'it is silent'],
    ['noise', 'anoisesrc=d=4:a=0.2:seed=3', 'like speech or noise'],
  ])('reports the kind of sound that is not a piano: %s', async (name, source, reason) => {
    const path = await generateMedia(at(`${name}.wav`), ['-f', 'lavfi', '-i', source])
    await expect(transcribe(path, folder)).rejects.toMatchObject(rejection(reason))
  })

  const speech = [
    'jfk.flac',
    'librispeech-1995-1837-0001.wav',
    'cosyvoice-zero_shot_prompt.wav',
    'aishell-BAC009S0724W0121.wav',
    'librivox/sense_and_sensibility_01_austen_64kb-0870.wav',
    'librivox/sense_and_sensibility_01_austen_64kb-0880.wav',
    'librivox/sense_and_sensibility_01_austen_64kb-0890.wav',
  ]

  it.each(sampleCases(speech, 3))('rejects speech: %s', async (name) => {
    const path = join(testdata('speech') ?? '', name)
    await expect(transcribe(path, folder)).rejects.toMatchObject(rejection('like speech or noise'))
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
    const tooLong = await writeWav(at('long.wav'), new Float32Array(1), 8000)
    // The file is sparse: everything but the first sample is a hole.
    await writeAt(tooLong, 40, 21_601 * 4 * 8000)
    await truncate(tooLong, 44 + 21_601 * 4 * 8000)
    await expect(transcribe(tooLong, folder)).rejects.toMatchObject({ code: 6016 })
  })

  it.each(pianoAudioToMidi.examples)('example: $title', async ({ input }) => {
    const path = await generateMedia(at(String(input['file_id'])), ['-i', short.wav])
    expect((await f1Of(path)).f1).toBeGreaterThan(0.9)
  })
})
