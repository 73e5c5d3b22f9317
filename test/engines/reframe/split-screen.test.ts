import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { soakSize } from '../../soak-size.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { evenProblems } from '../../reframe/judge-framing.ts'
import { useTestPacks } from '../vision/test-packs.ts'
import { hasFaces } from './film-faces.ts'
import { face, portrait, reframeFilm, wide } from './reframe-film.ts'

/** Frames of each film. */
const frames = 60

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
})
beforeEach(() => void useTestPacks(join(folder, 'packs')))

describe.skipIf(!hasFaces)('split screen (REELWRIGHT_TESTDATA)', () => {
  const square = { width: 1080, height: 1080 }
  const rows = [
    ['auto', 'auto', portrait, 2, 2],
    ['multi', 'lr', portrait, 2, 2],
    ['auto', 'auto', { width: 1920, height: 1080 }, 2, 0],
    ['multi', 'auto', { width: 1920, height: 1080 }, 2, 2],
    ['multi', 'tb', { width: 738, height: 1310 }, 3, 3],
    ['multi', 'auto', square, 4, 4],
    ['single', 'auto', portrait, 1, 2],
    ['single', 'lr', square, 2, 2],
    ['auto', 'auto', portrait, 1, 0],
    ['multi', 'auto', portrait, 1, 0],
  ] as const
  // The tests of the people of a shot have three of them too.
  it.each(
    soakSize<readonly (typeof rows)[number][]>(
      rows.filter(([, , , people]) => people !== 3),
      rows,
    ),
  )('%s, %s on %o with %d people has %d slots', async (mode, orientation, size, people, slots) => {
    const xs = { 1: [0.5], 2: [0.2, 0.75], 3: [0.15, 0.5, 0.85], 4: [0.12, 0.38, 0.62, 0.88] }[people]
    const shots = [{ frames, faces: xs.map((x) => face(x, { width: 0.12 })) }]
    // What is seen does not depend on the canvas and the slots.
    const steps = join(folder, `people-${people}-steps`)
    await mkdir(steps, { recursive: true })
    const { split, ranges, judged } = await reframeFilm(
      shots,
      { folder, name: `people-${people}` },
      { size, steps, split: { mode, orientation } },
    )
    // The main track is complete.
    expect(judged.problems).toEqual([])
    expect(ranges[0]).toMatchObject({ first: 0 })
    expect(split).toHaveLength(slots === 0 ? 0 : 1)
    if (slots === 0) return
    const [{ first, end, framing } = { first: 0, end: 0, framing: undefined }] = split
    expect([first, end]).toEqual([0, frames])
    if (framing?.mode !== 'split') throw new Error('no split')
    expect(framing.slots).toHaveLength(slots)
    expect(framing.slots.reduce((sum, { slot }) => sum + slot.width * slot.height, 0)).toBe(
      size.width * size.height,
    )
    for (const [index, { crop, slot }] of framing.slots.entries()) {
      expect(evenProblems(slot, { x: 0, y: 0, ...size })).toEqual([])
      expect(evenProblems(crop, { x: 0, y: 0, ...wide })).toEqual([])
      expect(crop.width / crop.height).toBeCloseTo(slot.width / slot.height, 1)
      if (mode === 'single' && index === 1) continue
      const shown = xs.filter((x) => x * wide.width > crop.x && x * wide.width < crop.x + crop.width)
      // The person of the slot, from left to right.
      expect(shown).toContain(mode === 'single' ? shown[0] : xs[index])
      expect(0.4 * wide.height).toBeGreaterThan(crop.y)
      expect(0.4 * wide.height).toBeLessThan(crop.y + crop.height)
    }
  })

  it('in two rows of a portrait canvas has the lower face above the captions', async () => {
    const source = { width: 1280, height: 720 }
    const faces = [0.2, 0.8].map((x) => face(x, { width: 0.12 }))
    const film = { folder, name: 'rows', ...source }
    const split = { mode: 'auto', orientation: 'auto' } as const
    const result = await reframeFilm([{ frames, faces }], film, { size: portrait, split })
    const framing = result.split[0]?.framing
    if (framing?.mode !== 'split') throw new Error('no split')
    const levels = framing.slots.map(
      ({ crop, slot }) => slot.y + ((0.4 * source.height - crop.y) / crop.height) * slot.height,
    )
    const [upper = 0, lower = 0] = levels.map((level) => level / portrait.height)
    expect(upper).toBeCloseTo(0.21, 1)
    // Two lines of captions begin at 0.7, and half a face is a twelfth of the canvas.
    expect(lower).toBeLessThan(0.65)
    expect(lower).toBeGreaterThan(0.6)
  })

  it('of two speakers leaves out the people behind them', async () => {
    const crowd = [0.38, 0.46, 0.54, 0.62].map((x) => ({ ...face(x, { width: 0.06 }), y: 0.25 }))
    const shots = [{ frames, faces: [face(0.2, { width: 0.12 }), face(0.8, { width: 0.12 }), ...crowd] }]
    const { split } = await reframeFilm(
      shots,
      { folder, name: 'crowd' },
      { size: portrait, split: { mode: 'auto', orientation: 'auto' } },
    )
    expect(split).toHaveLength(1)
    const framing = split[0]?.framing
    if (framing?.mode !== 'split') throw new Error('no split')
    const shown = framing.slots.map(({ crop }) =>
      [0.2, 0.8].filter((x) => x * wide.width > crop.x && x * wide.width < crop.x + crop.width),
    )
    expect(shown).toEqual([[0.2], [0.8]])
  })
})
