import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNearDuplicate, pictureHash } from './picture-hash.ts'

const random = fc.integer({ min: 0, max: 255 })

/** A picture of random blocks, which its scaled copies keep. */
function blocks(values: readonly number[], scale: number) {
  const [width, height] = [9 * scale, 8 * scale]
  const bytes = new Uint8Array(width * height * 4).fill(255)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const value = values[Math.floor(y / scale) * 9 + Math.floor(x / scale)] ?? 0
      bytes.set([value, value, value], 4 * (y * width + x))
    }
  }
  return { width, height, bytes }
}

const picture = fc.array(random, { minLength: 72, maxLength: 72 })

test('scaled copies of a picture are near-duplicates', () => {
  fc.assert(
    fc.property(picture, (values) => {
      expect(pictureHash(blocks(values, 1))).toBe(pictureHash(blocks(values, 5)))
      expect(isNearDuplicate(pictureHash(blocks(values, 2)), pictureHash(blocks(values, 3)))).toBe(true)
    }),
  )
})

test('slight changes of the light keep a near-duplicate; the negative is none', () => {
  fc.assert(
    fc.property(picture, fc.integer({ min: -10, max: 10 }), (values, light) => {
      const halved = values.map((value) => 60 + value / 2)
      const lighter = pictureHash(
        blocks(
          halved.map((value) => value + light),
          2,
        ),
      )
      expect(isNearDuplicate(pictureHash(blocks(halved, 2)), lighter)).toBe(true)
    }),
  )
  const slope = Array.from({ length: 72 }, (_, index) => (index % 9) * 20)
  const mirrored = slope.map((value) => 160 - value)
  expect(isNearDuplicate(pictureHash(blocks(slope, 2)), pictureHash(blocks(mirrored, 2)))).toBe(false)
})

test('flat pictures of different colours are no duplicates', () => {
  const flat = (colour: readonly number[]) => ({
    ...{ width: 2, height: 1 },
    bytes: new Uint8Array([...colour, 255, ...colour, 255]),
  })
  const [red, blue] = [pictureHash(flat([200, 0, 0])), pictureHash(flat([0, 0, 200]))]
  expect(red).toMatch(/^[\da-f]{22}$/)
  expect(isNearDuplicate(red, blue)).toBe(false)
  expect(isNearDuplicate(red, pictureHash(flat([190, 5, 0])))).toBe(true)
})
