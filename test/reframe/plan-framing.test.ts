import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Size } from '../../src/media/geometry.ts'
import type { FrameSpan } from '../../src/media/particle/frame-spans.ts'
import { planFraming } from '../../src/media/reframe/plan-framing.ts'
import { detected, during, type FacePath, perSecond, seconds, standing } from './detected-faces.ts'
import { judgeFraming } from './judge-framing.ts'

const wide = { width: 1920, height: 1080 }
const portrait = { width: 1080, height: 1920 }

interface JudgeOptions {
  readonly source?: Size
  readonly canvas?: Size
  readonly frames: number
  readonly ranges?: readonly FrameSpan[]
  readonly cuts?: readonly number[]
  /** Paths that must be shown. Default: all. */
  readonly shown?: readonly FacePath[]
}

function plan(paths: readonly FacePath[], options: JudgeOptions) {
  const {
    source = wide,
    canvas = portrait,
    frames,
    ranges = [{ first: 0, end: frames }],
    cuts = [],
  } = options
  const framed = planFraming(ranges, detected(paths, frames, cuts), {
    source,
    canvas,
    perSecond,
    blurSigma: 40,
  })
  const faces = (frame: number) => (options.shown ?? paths).flatMap(({ at }) => at(frame) ?? [])
  return { framed: framed.ranges, ...judgeFraming(framed.ranges, ranges, { source, canvas, faces, cuts }) }
}

const modes = (framed: readonly { readonly framing: { readonly mode: string } }[]) =>
  framed.map(({ framing }) => framing.mode)

describe('the camera', () => {
  it('holds one crop over a person who stays, with the face in its middle', () => {
    const { framed, shown } = plan([standing(1300, 500)], { frames: seconds(60) })
    expect(framed).toHaveLength(1)
    expect(framed[0]?.framing).toMatchObject({ mode: 'crop', crop: { y: 0, width: 608, height: 1080 } })
    expect(framed[0]?.framing).toMatchObject({ crop: { x: expect.closeTo(1300 - 304, -1.3) as number } })
    expect(shown).toBe(1)
  })

  it.each([20, 60, 120, 240, 480, 960])(
    'follows a person who walks at %d px per second, or shows the whole picture',
    (speed) => {
      const frames = seconds(40)
      const span = 1500
      const walking: FacePath = {
        width: 140,
        at: (frame) => {
          const way = ((frame * speed) / perSecond) % (2 * span)
          return { x: 200 + (way < span ? way : 2 * span - way), y: 400 }
        },
      }
      const result = plan([walking], { frames })
      expect(result.problems).toEqual([])
      expect(result.shown).toBeGreaterThanOrEqual(0.99)
      expect(result.leastBetweenMoves).toBeGreaterThanOrEqual(4 * perSecond)
      if (speed <= 60) expect(result.whole).toBe(0)
      if (speed >= 480) expect(result.whole).toBeGreaterThan(0.9)
    },
  )

  it('moves once for a person who walks to another place', () => {
    const walker: FacePath = {
      width: 180,
      at: (frame) => ({ x: 400 + 1000 * Math.min(1, Math.max(0, (frame - 400) / 50)), y: 400 }),
    }
    const result = plan([walker], { frames: 1000 })
    expect(result.shown).toBeGreaterThanOrEqual(0.99)
    expect(result.moves).toBeLessThanOrEqual(2)
  })

  it('shows two people together who fit into one crop', () => {
    const { framed, shown } = plan([standing(800, 400, 160), standing(1150, 420, 170)], {
      frames: seconds(20),
    })
    expect(modes(framed)).toEqual(['crop'])
    expect(shown).toBe(1)
  })

  it('shows the whole picture where people are too far apart', () => {
    const { framed } = plan([standing(300, 400), standing(1600, 420)], { frames: seconds(20) })
    expect(framed.map(({ framing }) => framing)).toEqual([{ mode: 'fit', blurSigma: 40 }])
  })

  it('shows the whole picture only while a second person is there', () => {
    const guest = during(standing(1600, 420), seconds(20), seconds(40))
    const { framed, shown } = plan([standing(300, 400), guest], { frames: seconds(60) })
    expect(modes(framed)).toEqual(['crop', 'fit', 'crop'])
    expect(shown).toBeGreaterThanOrEqual(0.99)
  })

  it('ignores a person who appears briefly in the background, and one who is small', () => {
    const speaker = standing(1200, 450, 260)
    const passer = during(standing(300, 300, 150), seconds(8), seconds(9.6))
    const small = standing(200, 300, 80)
    for (const other of [passer, small]) {
      const { framed, shown } = plan([speaker, other], { frames: seconds(20), shown: [speaker] })
      expect(modes(framed)).toEqual(['crop'])
      expect(shown).toBe(1)
    }
  })

  it('frames each shot on its own, and changes exactly at the cuts', () => {
    const cuts = [60, 131, 190, 250]
    const edges = [0, ...cuts, 400]
    const paths = [350, 1500, 350, 1500, 900].map((x, index) =>
      during(standing(x, 400), edges[index] ?? 0, edges[index + 1] ?? 0),
    )
    const { framed, shown } = plan(paths, { frames: 400, cuts })
    expect(framed.map(({ first }) => first)).toEqual(edges.slice(0, -1))
    expect(shown).toBe(1)
  })

  it('joins a shot of less than half a second to its neighbour if that shows its faces', () => {
    const near = [
      during(standing(900, 400), 0, 100),
      during(standing(950, 400), 100, 108),
      during(standing(900, 400), 108, 200),
    ]
    expect(plan(near, { frames: 200, cuts: [100, 108] }).framed.length).toBeLessThanOrEqual(1)
    const far = [
      during(standing(900, 400), 0, 100),
      during(standing(200, 400), 100, 108),
      during(standing(900, 400), 108, 200),
    ]
    const { framed, shown } = plan(far, { frames: 200, cuts: [100, 108] })
    expect(framed.map(({ first }) => first)).toEqual([0, 100, 108])
    expect(shown).toBe(1)
  })

  it('counts the time between moves in kept frames', () => {
    const pacing: FacePath = { width: 120, at: (frame) => ({ x: 960 + 700 * Math.sin(frame / 90), y: 400 }) }
    const ranges = Array.from({ length: 40 }, (_, index) => ({ first: index * 60, end: index * 60 + 31 }))
    const result = plan([pacing], { frames: 2400, ranges })
    expect(result.problems).toEqual([])
    expect(result.shown).toBeGreaterThanOrEqual(0.99)
    expect(result.leastBetweenMoves).toBeGreaterThanOrEqual(4 * perSecond)
  })

  it('switches within a dissolve, near its middle', () => {
    for (const mixed of [8, 16, 32]) {
      const paths = [
        during(standing(350, 400), 0, 100 + mixed / 2),
        during(standing(1500, 400), 100 - mixed / 2, 200),
      ]
      const { samples } = detected(paths, 200)
      const analysis = { changes: [{ frame: 100, mixed }], samples, starts: [0] }
      const { ranges } = planFraming([{ first: 0, end: 200 }], analysis, {
        source: wide,
        canvas: portrait,
        perSecond,
        blurSigma: 40,
      })
      expect(ranges.map(({ first }) => first)).toEqual([0, 100])
      expect(modes(ranges)).toEqual(['crop', 'crop'])
    }
  })
})

it('a range that ends within a dissolve shows the faces of each shot', () => {
  const paths = [during(standing(350, 400), 0, 108), during(standing(1500, 400), 92, 200)]
  const { samples } = detected(paths, 200)
  const analysis = { changes: [{ frame: 100, mixed: 32 }], samples, starts: [0] }
  const options = { source: wide, canvas: portrait, perSecond, blurSigma: 40 }
  const { ranges } = planFraming([{ first: 20, end: 115 }], analysis, options)
  const [one, other] = ranges
  expect(ranges.map(({ first }) => first)).toEqual([20, 100])
  expect(one?.framing).toMatchObject({ crop: { x: expect.closeTo(350 - 304, -2) as number } })
  expect(other?.framing).toMatchObject({ crop: { x: expect.closeTo(1500 - 304, -1.3) as number } })
})

describe('any faces', () => {
  const canvases = [
    portrait,
    { width: 1080, height: 1080 },
    wide,
    { width: 1080, height: 1350 },
    { width: 734, height: 642 },
  ]
  const sources = [
    wide,
    portrait,
    { width: 1000, height: 1000 },
    { width: 1279, height: 719 },
    { width: 640, height: 480 },
  ]

  it('stay in the crop in 99 % of the frames, with rare moves, in any shape', () => {
    const path = fc.record({
      x: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
      y: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      swing: fc.double({ min: 0, max: 0.5, noNaN: true }),
      period: fc.double({ min: 3, max: 60, noNaN: true }),
      phase: fc.double({ min: 0, max: 6, noNaN: true }),
      width: fc.double({ min: 0.04, max: 0.3, noNaN: true }),
    })
    const property = fc.property(
      fc.array(path, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...canvases),
      fc.constantFrom(...sources),
      fc.integer({ min: 40, max: 1500 }),
      fc.array(fc.integer({ min: 10, max: 1490 }), { maxLength: 4 }),
      (list, canvas, source, frames, cutList) => {
        const cuts = [...new Set(cutList)]
          .filter((cut) => cut < frames - 10)
          .toSorted((one, other) => one - other)
        const least = Math.min(source.width, source.height)
        const paths = list.map(({ x, y, swing, period, phase, width }): FacePath => ({
          width: Math.max(...list.map((one) => one.width)) * least * (0.6 + 0.4 * (width / 0.3)),
          at: (frame) => {
            const offset = swing * Math.sin(phase + (2 * Math.PI * frame) / perSecond / period)
            const inside = (value: number) => Math.min(0.98, Math.max(0.02, value))
            return { x: inside(x + offset) * source.width, y: inside(y + 0.3 * offset) * source.height }
          },
        }))
        const result = plan(paths, { source, canvas, frames, cuts })
        expect(result.problems).toEqual([])
        expect(result.leastBetweenMoves).toBeGreaterThanOrEqual(4 * perSecond)
        expect(result.shown).toBeGreaterThanOrEqual(0.99)
      },
    )
    fc.assert(property, { numRuns: 150, seed: 21, endOnFailure: true })
  })
})
