import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDiarizer, type Diarizer } from '../../../src/engines/speech/diarization.ts'
import type { SpeakerTurn } from '../../../src/media/speech/speech-types.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { sampleCases } from '../../soak-size.ts'
import {
  hasSpeechFiles,
  inChunks,
  joined,
  mixed,
  neverAborted,
  useSpeechPacks,
  voiceOf,
  type Speaker,
} from './recordings.ts'

const folder = await scratchFolder()

describe.skipIf(!hasSpeechFiles)('speaker diarization (REELWRIGHT_TESTDATA)', () => {
  let splitter: Diarizer
  beforeAll(async () => {
    useSpeechPacks(folder)
    splitter = await openDiarizer(neverAborted)
  })
  afterAll(() => splitter[Symbol.asyncDispose]())

  /** Joins recordings and returns the dominant speaker of each. */
  async function diarizeJoined(
    ...speakers: Speaker[]
  ): Promise<{ turns: SpeakerTurn[]; speakers: (number | undefined)[] }> {
    const voices = await Promise.all(speakers.map(voiceOf))
    const turns = await splitter.diarize(inChunks(joined(...voices)), { signal: neverAborted })
    let at = 0
    const found = voices.map((voice) => {
      const [from, to] = [at, at + voice.length / 16_000]
      at = to
      return loudest(turns, from, to)
    })
    return { turns, speakers: found }
  }

  it.each(sampleCases(['kennedy', 'chinese', 'austen', 'woman', 'reader'] as const))(
    'detects one speaker in %s',
    async (speaker) => {
      const { turns } = await diarizeJoined(speaker)
      expect(new Set(turns.map((turn) => turn.speaker))).toEqual(new Set([0]))
    },
  )

  const conversations = [
    [
      ['kennedy', 'austen'],
      [0, 1],
    ],
    [
      ['austen', 'kennedy'],
      [0, 1],
    ],
    [
      ['woman', 'austen'],
      [0, 1],
    ],
    [
      ['chinese', 'woman'],
      [0, 1],
    ],
    [
      ['woman', 'chinese', 'woman', 'chinese'],
      [0, 1, 0, 1],
    ],
  ] as const
  it.each(sampleCases(conversations))('assigns %j to speakers %j', async (speakers, expected) => {
    expect((await diarizeJoined(...speakers)).speakers).toEqual(expected)
  })

  it('detects two speakers at once', async () => {
    const [one, other] = [await voiceOf('austen'), await voiceOf('woman')]
    const turns = await splitter.diarize(inChunks(mixed(one, other)), { signal: neverAborted })
    const overlapping = turns.some((turn) =>
      turns.some(
        ({ speaker, start, end }) => speaker !== turn.speaker && start < turn.end - 1 && end > turn.start + 1,
      ),
    )
    expect(overlapping).toBe(true)
  })

  it('returns turns in order, within the sound', async () => {
    const { turns } = await diarizeJoined('woman', 'austen', 'woman')
    expect(turns.map(({ start }) => start)).toEqual(turns.map(({ start }) => start).toSorted((a, b) => a - b))
    for (const { start, end } of turns) expect(end).toBeGreaterThan(start)
    expect(Math.max(...turns.map(({ end }) => end))).toBeLessThan(14.2)
  })
})

/** Speaker with the longest speech in a span. */
function loudest(turns: readonly SpeakerTurn[], from: number, to: number): number | undefined {
  const lengths = new Map<number, number>()
  for (const { speaker, start, end } of turns) {
    const shared = Math.min(end, to) - Math.max(start, from)
    if (shared > 0) lengths.set(speaker, (lengths.get(speaker) ?? 0) + shared)
  }
  return [...lengths].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}
