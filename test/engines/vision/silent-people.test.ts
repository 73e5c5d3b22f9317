import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { measureMouthMotion } from '../../../src/engines/vision/measure-mouth-motion.ts'
import { type MouthSample, visualSpeech } from '../../../src/media/cut/visual-speech.ts'
import { sampleCases } from '../../soak-size.ts'
import { scratchFolder, testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

beforeAll(async () => void useTestPacks(join(await scratchFolder(), 'packs')))

async function spansIn(clip: string) {
  const path = join(testdata('video') ?? '', 'natural', clip)
  const samples: MouthSample[] = []
  for await (const sample of measureMouthMotion(path, await probe(path), { threads: 2 })) samples.push(sample)
  const seen = samples.filter(({ motion }) => motion !== null)
  expect(seen.length, clip).toBeGreaterThan(0.9 * samples.length)
  return visualSpeech(samples)
}

/** The signer mouths "night": his lips open at 0.5 s and close at 0.9 s, read off the frames. */
const night = [{ start: expect.closeTo(0.5, 0.5), end: expect.closeTo(0.9, 0.5) }]

const clips: readonly (readonly [string, unknown])[] = [
  ['book.mkv', []],
  ['walk.mkv', []],
  ['night.mkv', night],
]

describe.skipIf(testdata('models') === undefined)('motion of the mouth (REELWRIGHT_TESTDATA)', () => {
  it.each(sampleCases(clips))(
    'of silent people who move their heads and hands is not that of speech, but that of a mouthed word is: %s',
    async (clip, expected) => {
      expect(await spansIn(clip), clip).toEqual(expected)
    },
  )
})
