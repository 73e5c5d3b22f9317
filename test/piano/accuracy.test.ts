import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Performance } from '../../src/media/piano/note.ts'
import { generateMedia, scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { useTestPacks } from '../engines/vision/test-packs.ts'
import { sampleCases } from '../soak-size.ts'
import { firstSeconds, generatePiece } from './generated-pieces.ts'
import { recordPiece, transcribeAndScore } from './recorded-piece.ts'
import { conditions } from './recording-conditions.ts'
import { florestan, record, recordingRate, writeWav } from './recordings.ts'
import { transcribe } from './run-to-midi.ts'

// Recordings of many kinds; to-midi.test.ts has the main ones.

const folder = await scratchFolder()
const isReady = useTestPacks(join(folder, 'packs'))

/** A recording and the notes that are played. */
interface Played {
  readonly path: string
  readonly truth: Performance
}

/** What a recording is, the lowest F1 score of its notes, and a function that creates it. */
type Case = readonly [what: string, floor: number, create: () => Promise<Played>]

const at = (name: string) => join(folder, name)

/** Records a performance as a WAV, its samples multiplied by a volume. */
async function recordAs(name: string, truth: Performance, { seconds, volume = 1 }: RecordAsOptions = {}) {
  const soundFont = florestan ?? ''
  const sound = await record(truth, seconds === undefined ? { soundFont } : { soundFont, seconds })
  return {
    path: await writeWav(at(name), volume === 1 ? sound : sound.map((sample) => sample * volume)),
    truth,
  }
}

interface RecordAsOptions {
  /** Length of the recording. */
  readonly seconds?: number
  /** Default: 1, a peak of 0.5. */
  readonly volume?: number
}

/** By container and codec: an odd rate, and more channels than two. */
const codings = [
  ['a sample rate of 37.8 kHz', 'odd.flac', ['-ar', '37800']],
  ['six channels', 'six.ogg', ['-ac', '6', '-c:a', 'flac', '-strict', '-2']],
  ['AAC', 'piece.m4a', ['-c:a', 'aac']],
] as const

describe.skipIf(!isReady)('accuracy of piano_audio_to_midi (REELWRIGHT_TESTDATA)', () => {
  const recordShort = () => recordPiece(at('short.wav'), 4)

  const coded = codings.map(([what, name, args]): Case => [
    what,
    0.85,
    async () => {
      const { piece, wav } = await recordShort()
      return { path: await generateMedia(at(name), ['-i', wav, ...args]), truth: piece }
    },
  ])
  const disturbed = (['noise and reverb', 'noise', 'reverb', 'low-pass'] as const).map((condition): Case => [
    condition,
    0.85,
    async () => {
      const { piece, sound } = await recordShort()
      const path = await writeWav(at(`${condition}.wav`), conditions[condition](sound, recordingRate))
      return { path, truth: piece }
    },
  ])
  const composed = (['repeated', 'arpeggios', 'leaps', 'scales'] as const).map((kind): Case => [
    `${kind} notes`,
    0.75,
    () => recordAs(`${kind}.wav`, firstSeconds(generatePiece(kind, 22), 3)),
  ])
  const few: Case = [
    'three soft notes in 30 s',
    0.8,
    () => {
      const notes = [60, 64, 67].map((pitch, index) => ({
        ...{ pitch, start: 4 + 6.9 * index, end: 7 + 6.9 * index, velocity: 25 },
      }))
      return recordAs('few.wav', { notes, pedals: [] }, { seconds: 30, volume: 0.02 })
    },
  ]
  const late: Case = [
    'leading silence, after which the times are kept',
    0.93,
    async () => {
      const { piece, sound } = await recordPiece(at('piece.wav'), 7)
      const seconds = 3.21
      const silence = new Float32Array(Math.round(seconds * recordingRate))
      const path = await writeWav(at('late.wav'), Float32Array.from([...silence, ...sound]))
      const notes = piece.notes.map((note) => ({
        ...{ ...note, start: note.start + seconds, end: note.end + seconds },
      }))
      return { path, truth: { ...piece, notes } }
    },
  ]

  it.each(sampleCases([few, ...composed, ...coded, ...disturbed, late], 4))(
    'transcribes %s',
    async (_, floor, create) => {
      const { path, truth } = await create()
      expect((await transcribeAndScore(path, { truth, folder })).f1).toBeGreaterThan(floor)
    },
  )

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
