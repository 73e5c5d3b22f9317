import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Yuv420 } from './yuv420.ts'

/** Converts 8-bit RGB to limited-range Y, Cb, Cr (ITU-R BT.709-6, 3.2, 3.3 and 3.4), without rounding. */
function exactYcbcr([red = 0, green = 0, blue = 0]: readonly number[]): readonly number[] {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return [
    16 + (219 * luma) / 255,
    128 + (224 * (blue - luma)) / 1.8556 / 255,
    128 + (224 * (red - luma)) / 1.5748 / 255,
  ]
}

const byte = fc.integer({ min: 0, max: 255 })
const colour = fc.tuple(byte, byte, byte)

test('converts every colour as BT.709 specifies, rounded to the nearest step', () => {
  fc.assert(
    fc.property(colour, (rgb) => {
      const frame = new Yuv420({ width: 2, height: 2 })
      frame.write(Uint8Array.from([1, 2, 3, 4].flatMap(() => [...rgb, 255])), {
        x: 0,
        y: 0,
        width: 2,
        height: 2,
      })
      const [luma = 0, cb = 0, cr = 0] = exactYcbcr(rgb)
      for (const [at, exact] of [luma, luma, luma, luma, cb, cr].entries())
        expect(Math.abs((frame.bytes[at] ?? 0) - exact)).toBeLessThan(0.505)
    }),
  )
  for (const grey of [0, 1, 100, 254, 255]) {
    const frame = new Yuv420({ width: 2, height: 2 })
    frame.write(new Uint8Array(16).fill(grey), { x: 0, y: 0, width: 2, height: 2 })
    expect([...frame.bytes.subarray(4)]).toEqual([128, 128])
  }
})

test('writes a box at its position with the mean chroma of four pixels, and leaves other samples unchanged', () => {
  const even = (max: number) => fc.integer({ min: 0, max }).map((half) => 2 * half)
  fc.assert(
    fc.property(even(3), even(3), fc.array(colour, { minLength: 8, maxLength: 8 }), (x, y, colours) => {
      const frame = new Yuv420({ width: 10, height: 8 })
      frame.bytes.fill(7)
      frame.write(Uint8Array.from(colours.flatMap((rgb) => [...rgb, 255])), { x, y, width: 4, height: 2 })
      for (const [at, value] of frame.bytes.subarray(0, 80).entries()) {
        const [column, row] = [(at % 10) - x, Math.floor(at / 10) - y]
        const rgb = column >= 0 && column < 4 && row >= 0 && row < 2 && colours[row * 4 + column]
        expect(Math.abs(value - (rgb ? (exactYcbcr(rgb)[0] ?? 0) : 7))).toBeLessThan(0.505)
      }
      for (const [at, value] of frame.bytes.subarray(80).entries()) {
        const plane = Math.floor(at / 20)
        const [column, row] = [((at % 20) % 5) - x / 2, Math.floor((at % 20) / 5) - y / 2]
        const chroma =
          row === 0 && (column === 0 || column === 1)
            ? [0, 1, 4, 5].map((offset) => exactYcbcr(colours[2 * column + offset] ?? [])[1 + plane] ?? 0)
            : [7, 7, 7, 7]
        expect(Math.abs(value - chroma.reduce((sum, sample) => sum + sample, 0) / 4)).toBeLessThan(0.51)
      }
    }),
  )
})

test('skips blocks equal to the previous content, and writes blocks that differ in one channel', () => {
  const box = { x: 0, y: 0, width: 4, height: 2 }
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.integer({ min: 0, max: 7 }),
      (before, at) => {
        const after = before.slice()
        after[4 * at + 1] = (after[4 * at + 1] ?? 0) ^ 255
        const [frame, fresh] = [new Yuv420(box), new Yuv420(box)]
        frame.write(before, box)
        frame.write(after, box, before)
        fresh.write(after, box)
        expect(frame.bytes).toEqual(fresh.bytes)
        frame.bytes.fill(3)
        frame.write(after, box, after.slice())
        expect([...new Set(frame.bytes)]).toEqual([3])
      },
    ),
  )
})
