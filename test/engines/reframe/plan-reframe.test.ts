import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { scratchFolder, setRotation, testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from '../vision/test-packs.ts'
import { type FilmedFace, filmFaces, hasFaces } from './film-faces.ts'
import { face, firsts, narrow, portrait, rate25, reframe, reframeFilm, sides } from './reframe-film.ts'

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
})
beforeEach(() => void useTestPacks(join(folder, 'packs')))

describe.skipIf(!hasFaces)('reframing (REELWRIGHT_TESTDATA)', () => {
  it('changes the framing exactly at the cuts, at 29.97 fps, in ranges in the middle of a file', async () => {
    const shots = sides([300, 90, 45, 400])
    const ranges = [
      { first: 700, end: 790 },
      { first: 280, end: 330 },
      { first: 360, end: 470 },
    ]
    const { ranges: framed, judged } = await reframeFilm(
      shots,
      { folder, name: 'middle', rate: { num: 30_000, den: 1001 }, ...narrow },
      { ranges },
    )
    expect(firsts(framed)).toEqual([700, 280, 300, 360, 390, 435])
    expect(judged).toMatchObject({ problems: [], shown: 1 })
  })

  const motions: readonly (readonly [string, Partial<FilmedFace>])[] = [
    ['sways', { swing: 0.03, period: 3 }],
    ['stays', {}],
    ['walks slowly', { swing: 0.3, period: 30 }],
    ['walks', { swing: 0.3, period: 12 }],
    ['runs', { swing: 0.35, period: 4 }],
  ]
  // The still source and the real speaker have faces that stay.
  it.each(sampleCases(motions.toReversed(), 1))(
    'shows a face that %s in 99 % of the frames, with one move in 4 s',
    async (how, more) => {
      const shots = [{ frames: soakSize(200, 400), faces: [face(0.5, { width: 0.14, ...more })] }]
      // What is seen does not depend on the shape.
      const steps = await mkdtemp(join(folder, 'shapes-'))
      for (const size of sampleCases([
        portrait,
        { width: 1080, height: 1080 },
        { width: 1080, height: 1350 },
        { width: 1920, height: 1080 },
      ])) {
        const { judged } = await reframeFilm(
          shots,
          { folder, name: `moving ${how}`, ...narrow },
          { size, steps },
        )
        expect(judged.problems).toEqual([])
        expect(judged.shown).toBeGreaterThanOrEqual(0.99)
        expect(judged.leastBetweenMoves).toBeGreaterThanOrEqual(100)
        if (how === 'stays' || how === 'sways') expect(judged).toMatchObject({ moves: 0, whole: 0 })
      }
    },
  )

  it('crops a portrait and a square source to other shapes', async () => {
    const sources = [
      { width: 360, height: 640 },
      { width: 480, height: 480 },
    ]
    for (const source of sampleCases(sources, 1)) {
      const steps = await mkdtemp(join(folder, 'shapes-'))
      const shots = [
        { frames: 40, faces: [face(0.5, { width: 0.3, y: 0.25 })] },
        { frames: 40, faces: [face(0.5, { width: 0.3, y: 0.7 })] },
      ]
      for (const size of sampleCases([
        portrait,
        { width: 1920, height: 1080 },
        { width: 1080, height: 1080 },
        { width: 734, height: 642 },
      ])) {
        const { judged } = await reframeFilm(
          shots,
          { folder, name: `source-${source.width}`, ...source },
          { size, steps },
        )
        expect(judged).toMatchObject({ problems: [], shown: 1, whole: 0 })
      }
    }
  })

  it('counts pixels of the picture as displayed', async () => {
    const path = await filmFaces(folder, [{ frames: 25, faces: [face(0.5, { y: 0.7, width: 0.3 })] }], {
      ...{ folder, name: 'turned', rate: rate25, width: 540, height: 960, filters: ['transpose=clock'] },
    })
    const { ranges } = await reframe(await setRotation(path, 270), { size: { width: 1080, height: 1080 } })
    expect(ranges).toHaveLength(1)
    expect(ranges[0]?.framing).toMatchObject({
      mode: 'crop',
      crop: { x: 0, width: 540, height: 540, y: expect.closeTo(0.7 * 960 - 0.42 * 540, -2) as number },
    })
  })

  it('frames a real speaker with one crop', async () => {
    const { ranges } = await reframe(
      join(testdata('video') ?? '', 'opendubbing-englishvideo.mp4'),
      soakSize({ ranges: [{ first: 0, end: 30 }] }, {}),
    )
    expect(ranges).toHaveLength(1)
    // The middle of the face, read off the frames.
    expect(ranges[0]?.framing).toMatchObject({
      mode: 'crop',
      crop: { x: expect.closeTo(676 - 203, -1.5) as number, width: 406, height: 720 },
    })
  })
})
