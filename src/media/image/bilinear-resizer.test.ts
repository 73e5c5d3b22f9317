import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BilinearResizer } from './bilinear-resizer.ts'

/** Samples of a linear congruential generator (Numerical Recipes): any program can make the same picture. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

function resize(pixels: Uint8Array, width: number, to: { width: number; height: number }): Uint8Array {
  const height = pixels.length / (3 * width)
  const resizer = new BilinearResizer({ width, height }, to)
  for (let row = 0; row < height; row += 1)
    resizer.add(pixels.subarray(row * width * 3, (row + 1) * width * 3))
  return resizer.result()
}

// Pillow 9.4: Image.frombytes('RGB', from, noise).resize(to, Image.Resampling.BILINEAR).tobytes()
test.each([
  [7, 5, 3, 3, 1, '5f53b972e28f806f805cae7352ed88a180d98c45ae9e3bb7d8438a28eeb16517'],
  [3, 2, 5, 7, 2, 'e33e4e6737e455ad89b74778c5e3e6e080369da3dbc03cb0429e0593a64766d5'],
  [640, 353, 224, 224, 3, 'bc12ee78b1cab63ce11841bd551568c71d44a2842af6881f4042e3a038c715d1'],
  [100, 300, 256, 256, 4, 'e8ed493c1a42b52c89da82ac9d354082e37ea6a6e7d03685570834c21e8ec5c4'],
  [1, 1, 4, 4, 5, '718b9a712725f0d7f46fe6cac275b57a1de5fc28ffa0ce9a02cc34be4e1cd7ff'],
  [224, 224, 224, 224, 6, 'ff1283892fe8f7c368c3ec40cbf6f27d40fd27de069370fd79e2439b2f4c8fcd'],
  [1999, 37, 256, 256, 7, 'd413f0defe3e44abe75ef1e0a72b20a21c504807633bf54857265fdedce2db45'],
])('%i x %i to %i x %i gives the bytes of Pillow', (width, height, toWidth, toHeight, seed, sha256) => {
  const resized = resize(noise(width * height * 3, seed), width, { width: toWidth, height: toHeight })
  expect(createHash('sha256').update(resized).digest('hex')).toBe(sha256)
})

test('a plain picture keeps its colour at every size', () => {
  const colour = [0, 128, 255]
  const plain = Uint8Array.from({ length: 37 * 11 * 3 }, (_, at) => colour[at % 3] ?? 0)
  const resized = resize(plain, 37, { width: 64, height: 4 })
  expect(resized).toEqual(Uint8Array.from({ length: 64 * 4 * 3 }, (_, at) => colour[at % 3] ?? 0))
})
