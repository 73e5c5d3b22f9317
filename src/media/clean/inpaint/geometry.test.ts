import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScene } from '../../../../test/footage/scene.ts'
import { composeMaps, cornerDistance, scaleMap, invertMap, type AffineMap } from './affine.ts'
import { alignPoints, initialAlignment, solveCholesky } from './align.ts'
import { type FrameView, ViewHistory } from './view.ts'
import { hiddenMask } from './hidden-mask.ts'
import { CameraTracker } from './camera.ts'
import { detectFeaturePoints, sampleBicubic } from './grey-image.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'

const near = fc.double({ min: -0.2, max: 0.2, noNaN: true })
const shift = fc.double({ min: -50, max: 50, noNaN: true })
const affine = fc
  .tuple(near, near, shift, near, near, shift)
  .map(([a, b, c, d, e, f]): AffineMap => [1 + a, b, c, d, 1 + e, f])
const frame = { width: 200, height: 100 }

describe('maps', () => {
  it('composed with their inverses give the identity', () => {
    fc.assert(
      fc.property(affine, (map) => {
        expect(cornerDistance(composeMaps(map, invertMap(map)), [1, 0, 0, 0, 1, 0], frame)).toBeLessThan(1e-9)
      }),
    )
  })

  it('scaled up and down are the same', () => {
    fc.assert(
      fc.property(affine, fc.constantFrom(2, 3, 4), (map, factor) => {
        expect(cornerDistance(scaleMap(scaleMap(map, factor), 1 / factor), map, frame)).toBeLessThan(1e-9)
      }),
    )
  })
})

it('solves linear systems', () => {
  const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 16, maxLength: 16 })
  fc.assert(
    fc.property(numbers, fc.tuple(shift, shift, shift, shift), (values, wanted) => {
      // A matrix times its transpose, plus a diagonal, is positive definite.
      const at = (row: number, column: number) => values[row * 4 + column] ?? 0
      const matrix = Float64Array.from({ length: 16 }, (_, index) => {
        const [row, column] = [index >> 2, index & 3]
        return [0, 1, 2, 3].reduce((sum, k) => sum + at(k, row) * at(k, column), row === column ? 1 : 0)
      })
      const right = Float64Array.from({ length: 4 }, (_, row) =>
        wanted.reduce((sum, value, column) => sum + (matrix[row * 4 + column] ?? 0) * value, 0),
      )
      expect(solveCholesky(matrix, right, 4)).toBe(true)
      wanted.forEach((value, index) => expect(right[index]).toBeCloseTo(value, 6))
    }),
  )
})

it('interpolates a membrane within the range of its weighted values', () => {
  const grid = { columns: 17, rows: 11 }
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(186), fc.integer({ min: -90, max: 90 })), { minLength: 1, maxLength: 20 }),
      (held) => {
        const [values, weights] = [new Float32Array(187), new Float32Array(187)]
        for (const [at, value] of held) {
          values[at] = value
          weights[at] = 1000
        }
        const kept = held.map(([at]) => values[at] ?? 0)
        interpolateMembrane(values, weights, grid)
        expect(Math.max(...values)).toBeLessThan(Math.max(...kept) + 1)
        expect(Math.min(...values)).toBeGreaterThan(Math.min(...kept) - 1)
      },
    ),
    { numRuns: 40 },
  )
})

it('interpolates a wide hole evenly from its surroundings', () => {
  const grid = { columns: 300, rows: 180 }
  const slope = (at: number) => (at % grid.columns) / 3 - Math.floor(at / grid.columns) / 2
  const isHeld = (at: number) => {
    const [column, row] = [at % grid.columns, Math.floor(at / grid.columns)]
    return column < 20 || row < 20 || column >= grid.columns - 20 || row >= grid.rows - 20
  }
  const length = grid.columns * grid.rows
  const values = Float32Array.from({ length }, (_, at) => (isHeld(at) ? slope(at) : 0))
  interpolateMembrane(
    values,
    Float32Array.from({ length }, (_, at) => (isHeld(at) ? 1000 : 0)),
    grid,
  )
  // Without the coarse-to-fine solution it was 61 levels off.
  expect(Math.max(...values.map((value, at) => Math.abs(value - slope(at))))).toBeLessThan(1.5)
})

it('samples pixels exactly, and a slope linearly in between', () => {
  const plane = {
    width: 20,
    height: 20,
    data: Uint8Array.from({ length: 400 }, (_, at) => (at % 20) * 5 + Math.floor(at / 20) * 3),
  }
  const inside = fc.double({ min: 1, max: 17, noNaN: true })
  fc.assert(
    fc.property(inside, inside, (x, y) => {
      // Weights are those of the nearest of 64 subpixel positions.
      expect(Math.abs(sampleBicubic(plane, x, y) - (x * 5 + y * 3))).toBeLessThan(0.14)
    }),
  )
  for (let at = 0; at < 400; at += 1)
    expect(sampleBicubic(plane, at % 20, Math.floor(at / 20))).toBeCloseTo(plane.data[at] ?? 0, 4)
})

describe('motion', () => {
  const size = { width: 320, height: 180 }

  it('aligns an image with itself shifted by less than a pixel', () => {
    const scene = createScene('slow pan', { ...size, count: 3, noise: 0 })
    const pictures = [0, 2].map((index) => {
      const data = scene.frameAt(index).bytes.subarray(0, size.width * size.height)
      return { x: 0, y: 0, ...size, data, hidden: new Uint8Array(data.length) }
    })
    const [one, other] = pictures
    if (!one || !other) throw new RangeError('two pictures')
    const { map } = alignPoints(detectFeaturePoints(one, 8), other, { from: initialAlignment, rounds: 20 })
    // The camera moves 1.3 px of 480 to the right per frame.
    expect(cornerDistance(map, [1, 0, (-2 * 1.3 * 320) / 480, 0, 1, 0], size)).toBeLessThan(0.05)
  })

  it('is tracked over a pan, and a cut is recognized', () => {
    const scene = createScene('cut', { ...size, count: 24 })
    const camera = new CameraTracker(size)
    const poses = Array.from({ length: 24 }, (_, index) => camera.observe(scene.frameAt(index), []))
    expect(poses.map(({ shot }) => shot)).toEqual(poses.map((_, index) => (index < 12 ? 0 : 1)))
    const [from, to] = [poses[12], poses[23]]
    const moved = composeMaps(
      to?.toShot ?? initialAlignment.map,
      invertMap(from?.toShot ?? initialAlignment.map),
    )
    expect(cornerDistance(moved, [1, 0, (11 * 0.8 * 320) / 480, 0, 1, 0], size)).toBeLessThan(0.5)
  })
})

it('hides masked pixels and a margin of two pixels, at any scale', () => {
  const patch = { x: 8, y: 6, width: 4, height: 2, mask: Uint8Array.from([1, 1, 0, 0, 1, 1, 0, 0]) }
  const hidden = hiddenMask([patch], { x: 0, y: 0, width: 24, height: 16 })
  for (let y = 0; y < 16; y += 1) {
    for (let x = 0; x < 24; x += 1)
      expect(hidden[y * 24 + x], `${x} ${y}`).toBe(x >= 6 && x < 12 && y >= 4 && y < 10 ? 1 : 0)
  }
  const half = hiddenMask([patch], { x: 0, y: 0, width: 24, height: 16 }, 2)
  for (let at = 0; at < half.length; at += 1) {
    const [x, y] = [(at % 12) * 2, Math.floor(at / 12) * 2]
    const any = [0, 1, 24, 25].some((step) => hidden[y * 24 + x + step] === 1)
    expect(half[at]).toBe(any ? 1 : 0)
  }
})

it('keeps views within its memory limit for any length: near ones and those at a change of patches', () => {
  const most = 40 * 160
  const history = new ViewHistory(most)
  const [shown, none] = [[{ x: 0, y: 0, width: 2, height: 2, mask: new Uint8Array(4) }], []]
  const [covered, open] = [new Uint8Array(64), new Uint8Array(64)]
  const view = (index: number): FrameView => {
    const isShown = index % 200 < 190
    // For a while, each frame has another mask, as with moving text.
    const isMoving = index > 1500 && index < 2200
    const patches = isShown && isMoving ? shown.map((one) => ({ ...one, mask: new Uint8Array(4) })) : shown
    const hidden = isMoving ? new Uint8Array(64) : isShown ? covered : open
    const [data, blue, red] = [64, 16, 16].map((bytes) => new Uint8Array(bytes))
    if (!data || !blue || !red) throw new RangeError('three planes')
    const crop = { x: 0, y: 0, width: 8, height: 8, data, hidden, blue, red }
    return {
      index,
      time: index,
      shot: 0,
      toShot: initialAlignment.map,
      patches: isShown ? patches : none,
      confidence: 1,
      crops: [crop],
    }
  }
  for (let index = 0; index < 3000; index += 1) {
    history.add(view(index), Math.max(0, index - 10))
    const held = new Set(
      history.views.flatMap(({ crops, patches }) => [
        ...crops.flatMap(({ data, blue, red, hidden }) => [data, blue, red, hidden]),
        ...patches.map(({ mask }) => mask),
      ]),
    )
    const bytes = [...held].reduce((sum, { length }) => sum + length, 0)
    expect(history.bytes).toBe(bytes)
    expect(bytes).toBeLessThanOrEqual(most)
    // Shared masks leave room for more than forty views.
    if (index === 1400) expect(history.views.length).toBeGreaterThan(50)
  }
  const kept = history.views.map(({ index }) => index)
  expect(kept).toEqual(kept.toSorted((one, other) => one - other))
  expect(kept.filter((index) => index > 2980).length).toBeGreaterThan(10)
  // The last gap between subtitles, more than a second ago.
  expect(kept.some((index) => index >= 2790 && index < 2800)).toBe(true)
  history.forget(1, 0)
  expect(history.bytes).toBe(0)
})
