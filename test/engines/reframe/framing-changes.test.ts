import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleCases } from '../../soak-size.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from '../vision/test-packs.ts'
import { hasFaces, shotStarts } from './film-faces.ts'
import { face, firsts, modes, narrow, reframeFilm, sides } from './reframe-film.ts'

// Rates, lights, lengths of dissolves and several people. test/reframe has the shots and the framing alone.

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
})
beforeEach(() => void useTestPacks(join(folder, 'packs')))

async function frameCuts(fps: number, light: number): Promise<void> {
  const shots = sides([31, 47, 16, 60, 29])
  const film = { folder, name: `cuts-${fps}-${light}`, rate: { num: fps, den: 1 }, light, ...narrow }
  const { ranges, judged, degraded } = await reframeFilm(shots, film)
  expect(firsts(ranges)).toEqual([0, ...shotStarts(shots)])
  // Faces in the dark are not always found.
  if (light === 1) expect(judged.shown).toBe(1)
  expect(judged.problems).toEqual([])
  expect(degraded).toBeUndefined()
}

async function frameDissolves(dissolve: number): Promise<void> {
  const shots = sides([60, 70, 60], { dissolve }).with(0, { frames: 60, faces: [face(0.25)] })
  const { ranges } = await reframeFilm(shots, { folder, name: `dissolve-${dissolve}`, ...narrow })
  expect(ranges).toHaveLength(3)
  for (const [index, start] of shotStarts(shots).entries())
    expect(Math.abs((ranges[index + 1]?.first ?? 0) - start)).toBeLessThanOrEqual(Math.max(2, dissolve / 4))
}

async function frameSeveralPeople(): Promise<void> {
  const together = await reframeFilm(
    [{ frames: 50, faces: [face(0.42, { width: 0.1 }), face(0.58, { width: 0.1 })] }],
    { folder, name: 'together' },
  )
  expect(modes(together)).toEqual(['crop'])
  expect(together.judged.shown).toBe(1)
  const apart = await reframeFilm([{ frames: 50, faces: [face(0.2), face(0.8)] }], {
    folder,
    name: 'apart',
    ...narrow,
  })
  expect(apart.ranges.map(({ framing }) => framing)).toEqual([{ mode: 'fit', blurSigma: 40 }])
  const passing = await reframeFilm(
    [{ frames: 200, faces: [face(0.75, { width: 0.2 }), face(0.15, { width: 0.1, seen: [3, 4.4] })] }],
    { folder, name: 'passing', ...narrow },
  )
  expect(modes(passing)).toEqual(['crop'])
}

const ratesAndLights = [
  [24, 1],
  [25, 0.09],
  [30, 1],
  [50, 1],
  [60, 0.09],
] as const
const cases: readonly (readonly [string, () => Promise<void>])[] = [
  ...ratesAndLights.map(
    ([fps, light]) =>
      [`exactly at the cuts, at ${fps} fps and brightness ${light}`, () => frameCuts(fps, light)] as const,
  ),
  ...[8, 16, 32].map(
    (frames) => [`near the middle of a dissolve of ${frames} frames`, () => frameDissolves(frames)] as const,
  ),
  [
    'for speakers who fit together, otherwise to the whole picture, and ignores who passes behind',
    frameSeveralPeople,
  ],
]

describe.skipIf(!hasFaces)('reframing (REELWRIGHT_TESTDATA)', () => {
  it.each(sampleCases(cases, 1))('changes the framing %s', async (_, expectChanges) => {
    await expect(expectChanges()).resolves.toBeUndefined()
  })
})
