import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blur, blurPatch } from './blur.ts'
import { createPatchLookup } from './masks.ts'
import type { Frame } from './frame.ts'
import type { Region } from './region.ts'

const size = { width: 96, height: 64 }
const rate = { num: 25, den: 1 }

function patchesAt(remove: readonly Region[], protect: readonly Region[] = []) {
  return createPatchLookup({ remove, protect }, { size, rate })
}

/** Black and white bars with chroma changing at every pixel: like letters, but harder to blur. */
function letters(): Frame {
  const bytes = new Uint8Array((size.width * size.height * 3) / 2)
  for (let at = 0; at < bytes.length; at++) bytes[at] = at % 5 < 2 ? 255 : (at * 7) % 60
  return { ...size, bytes }
}

const always = { start: 0, end: 1e6 }
const part = fc.record({
  x: fc.nat(95),
  y: fc.nat(63),
  w: fc.integer({ min: 1, max: 96 }),
  h: fc.integer({ min: 1, max: 64 }),
})
const area = part.map(({ x, y, w, h }) => ({
  ...{ x: x / 96, y: y / 64, w: Math.min(w, 96 - x) / 96, h: Math.min(h, 64 - y) / 64 },
  ...always,
}))

test('a pixel outside the masks keeps its luma, and its chroma, which it shares with three others', () => {
  fc.assert(
    fc.property(fc.array(area, { maxLength: 4 }), fc.array(area, { maxLength: 3 }), (remove, protect) => {
      const patches = patchesAt(remove, protect)(0)
      const marked = new Uint8Array(size.width * size.height)
      for (const { x, y, width, height, mask } of patches) {
        for (let at = 0; at < width * height; at++) {
          if (mask[at] === 1) marked[(y + Math.floor(at / width)) * size.width + x + (at % width)] = 1
        }
      }
      const [before, after] = [letters(), letters()]
      for (const patch of patches) blurPatch(after, patch)
      const pixels = size.width * size.height
      for (let at = 0; at < pixels; at++) {
        if (marked[at] === 1) continue
        const [column, row] = [at % size.width, Math.floor(at / size.width)]
        const colour = pixels + (row >> 1) * (size.width / 2) + (column >> 1)
        for (const place of [at, colour, colour + pixels / 4]) {
          if (before.bytes[place] !== after.bytes[place]) expect([column, row, place]).toBe('unchanged')
        }
      }
    }),
    { numRuns: 100 },
  )
})

/** Standard deviation of luma in a box. */
function contrast(
  { width, bytes }: Frame,
  box: { x: number; y: number; width: number; height: number },
): number {
  const values: number[] = []
  for (let row = box.y; row < box.y + box.height; row++) {
    for (let column = box.x; column < box.x + box.width; column++)
      values.push(bytes[row * width + column] ?? 0)
  }
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length)
}

describe('strength', () => {
  test.each([
    ['a line', { x: 0.125, y: 0.5, w: 0.75, h: 0.1875, ...always }, { x: 16, y: 36, width: 64, height: 4 }],
    ['a column', { x: 0.5, y: 0, w: 0.125, h: 1, ...always }, { x: 51, y: 4, width: 6, height: 56 }],
    ['the whole picture', { x: 0, y: 0, w: 1, h: 1, ...always }, { x: 0, y: 0, ...size }],
  ])('of %s: its content becomes indistinguishable', (_, region, inside) => {
    const frame = letters()
    const before = contrast(frame, inside)
    for (const patch of patchesAt([region])(0)) blurPatch(frame, patch)
    expect(before).toBeGreaterThan(80)
    expect(contrast(frame, inside)).toBeLessThan(before / 20)
  })

  test('a uniform area stays uniform, up to the edge of the frame', () => {
    const frame = { ...size, bytes: new Uint8Array((size.width * size.height * 3) / 2).fill(200) }
    for (const patch of patchesAt([{ x: 0, y: 0, w: 1, h: 0.4, ...always }])(0)) blurPatch(frame, patch)
    expect(new Set(frame.bytes)).toEqual(new Set([200]))
  })
})

test('the edge is soft: luma does not jump where the blur starts', () => {
  const bytes = new Uint8Array((size.width * size.height * 3) / 2).fill(128)
  for (let row = 0; row < size.height; row++) bytes.fill(row < 32 ? 40 : 220, row * 96, (row + 1) * 96)
  const frame = { ...size, bytes }
  for (const patch of patchesAt([{ x: 0.25, y: 0.25, w: 0.5, h: 0.5, ...always }])(0)) blurPatch(frame, patch)
  const row = Array.from({ length: 97 }, (_, column) => bytes[20 * 96 + Math.min(95, column)] ?? 0)
  const steps = row.slice(1).map((value, index) => Math.abs(value - (row[index] ?? 0)))
  const whole = Math.abs((row[48] ?? 0) - 40)
  expect(whole).toBeGreaterThan(20)
  expect(Math.max(...steps)).toBeLessThan(whole / 2)
})

test('a blurred line of text is not a visible slab: it matches its surroundings', () => {
  const bytes = new Uint8Array((size.width * size.height * 3) / 2).fill(60)
  const inside = { x: 16, y: 24, width: 64, height: 12 }
  const places = Array.from(
    { length: inside.width * inside.height },
    (_, at) => (inside.y + Math.floor(at / inside.width)) * size.width + inside.x + (at % inside.width),
  )
  // Half of the pixels are white.
  for (const at of places) if (at % 4 < 2) bytes[at] = 255
  const region = { x: inside.x / 96, y: inside.y / 64, w: inside.width / 96, h: inside.height / 64 }
  for (const patch of patchesAt([{ ...region, ...always }])(0)) blurPatch({ ...size, bytes }, patch)
  const levels = places.map((at) => bytes[at] ?? 0)
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length
  expect(mean - 60).toBeLessThan(97 / 5)
})

test('frames are yielded in order, once each, treated by their index', async () => {
  const region = { x: 0, y: 0, w: 1, h: 1, start: 0.2, end: 0.32 }
  async function* frames() {
    for (let index = 0; index < 10; index++) yield letters()
  }
  const changed: boolean[] = []
  for await (const frame of blur(frames(), { first: 2, patchesAt: patchesAt([region]) })) {
    changed.push(Buffer.compare(frame.bytes, letters().bytes) !== 0)
  }
  // Frames 5, 6 and 7, of which the first here is 2.
  expect(changed).toEqual(
    [3, 4, 5].reduce(
      (all, at) => all.with(at, true),
      Array.from({ length: 10 }, () => false),
    ),
  )
})

test('the same patch of the same frame gives the same result, whatever was blurred before', () => {
  const [patch] = patchesAt([{ x: 0.3, y: 0.3, w: 0.4, h: 0.2, ...always }])(0)
  if (!patch) throw new Error('nothing is treated')
  const [one, other] = [letters(), letters()]
  blurPatch(one, patch)
  blurPatch({ ...size, bytes: new Uint8Array(one.bytes.length).fill(9) }, patch)
  blurPatch(other, patch)
  expect(one.bytes).toEqual(other.bytes)
})
