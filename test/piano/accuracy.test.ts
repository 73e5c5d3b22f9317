import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { generateMedia, scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { firstSeconds, generatePiece } from './generated-pieces.ts'
import { recordPiece, transcribeAndScore, type Recording } from './recorded-piece.ts'
import { conditions } from './recording-conditions.ts'
import { florestan, record, recordingRate, writeWav } from './recordings.ts'
import { transcribe } from './run-to-midi.ts'

// Recordings of many kinds; to-midi.test.ts has the main ones.

const folder = await scratchFolder()
const isReady = useTestPacks(join(folder, 'packs'))

describe.skipIf(!isReady)('accuracy of piano_audio_to_midi (REELWRIGHT_TESTDATA)', () => {
  let long: Recording
  let short: Recording
  const at = (name: string) => join(folder, name)

  beforeAll(async () => {
    long = await recordPiece(at('piece.wav'), 7)
    short = await recordPiece(at('short.wav'), 4)
  })

  const f1Of = (path: string, truth = short.piece) => transcribeAndScore(path, { truth, folder })

  // By container and codec: odd rates, more channels than two, and a rate below that of the model.
  const codings = [
    ['a sample rate of 37.8 kHz', 'odd.flac', ['-ar', '37800']],
    ['six channels', 'six.ogg', ['-ac', '6', '-c:a', 'flac', '-strict', '-2']],
    ['AAC', 'piece.m4a', ['-c:a', 'aac']],
    ['telephone sound of 8 kHz', 'low.wav', ['-ar', '8000']],
  ] as const

  it.each(sampleCases(codings, 1))('transcribes %s', async (_, name, args) => {
    const path = await generateMedia(at(name), ['-i', short.wav, ...args])
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

  it.each(sampleCases(['noise and reverb', 'noise', 'reverb', 'low-pass'] as const, 1))(
    'tolerates %s',
    async (condition) => {
      const path = await writeWav(at(`${condition}.wav`), conditions[condition](short.sound, recordingRate))
      expect((await f1Of(path)).f1).toBeGreaterThan(0.85)
    },
  )

  it.each(sampleCases(['repeated', 'arpeggios', 'leaps', 'scales'] as const, 1))(
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

  const speech = [
    'jfk.flac',
    'librispeech-1995-1837-0001.wav',
    'cosyvoice-zero_shot_prompt.wav',
    'librivox/sense_and_sensibility_01_austen_64kb-0870.wav',
    'librivox/sense_and_sensibility_01_austen_64kb-0880.wav',
    'librivox/sense_and_sensibility_01_austen_64kb-0890.wav',
  ]

  it.each(sampleCases(speech, 1))('rejects speech: %s', async (name) => {
    const path = join(testdata('speech') ?? '', name)
    await expect(transcribe(path, folder)).rejects.toMatchObject({
      code: 6014,
      message: expect.stringContaining('like speech or noise'),
      hint: expect.stringContaining('piano'),
    })
  })
})
