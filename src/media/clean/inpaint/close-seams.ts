import type { Patch } from '../frame.ts'
import type { PatchFill } from './blend.ts'
import type { FrameCrop } from './view.ts'
import { interpolateMembrane } from './membrane.ts'

/** Pixels around a mask that are filled too, to see how the filling fits; the nearer half of them may be smeared. */
const band = 4

/** What a mask holds for pixels around it. */
export const bandMark = 2

const widened = new WeakMap<Patch, Patch>()

/** A patch with the pixels around its mask marked as `bandMark`, as far as the frame goes; once for each. */
export function widenByBand(patch: Patch, frame: { readonly width: number; readonly height: number }): Patch {
  const there = widened.get(patch)
  if (there) return there
  const [x, y] = [Math.max(0, patch.x - band), Math.max(0, patch.y - band)]
  const width = Math.min(frame.width, patch.x + patch.width + band) - x
  const height = Math.min(frame.height, patch.y + patch.height + band) - y
  const mask = new Uint8Array(width * height)
  for (const value of [bandMark, 1]) {
    const by = value === 1 ? 0 : band
    for (let row = 0; row < patch.height; row += 1) {
      for (let column = 0; column < patch.width; column += 1) {
        if (patch.mask[row * patch.width + column] !== 1) continue
        const left = Math.max(0, patch.x + column - by - x)
        const right = Math.min(width, patch.x + column + by + 1 - x)
        const bottom = Math.min(height - 1, patch.y + row + by - y)
        // Of a whole line of pixels only the first and the last reach further to the sides.
        for (let line = Math.max(0, patch.y + row - by - y); line <= bottom; line += 1) {
          mask.fill(value, line * width + left, line * width + right)
        }
      }
    }
  }
  const wide = { x, y, width, height, mask }
  widened.set(patch, wide)
  return wide
}

/** Levels that are noise's. */
const noiseLevels = 3
/** How firmly a filling is held to what it is: seams fade over some ten pixels. */
const firmness = 0.03

/**
 * Has a filling pass smoothly into what lies around it: what they differ by there, noise aside, is taken into the
 * filling, less and less.
 */
export function closeSeams(patch: Patch, filling: PatchFill, now: FrameCrop): void {
  const grid = { columns: patch.width >> 1, rows: patch.height >> 1, rounds: 8 }
  const seam = measureSeam(patch, filling, now)
  if (seam.apart < 0.04 * seam.seen) return
  for (const shift of [seam.luma, seam.blue, seam.red]) interpolateMembrane(shift, seam.weights, grid)
  for (let at = 0; at < patch.mask.length; at += 1) {
    filling.luma[at] = (filling.luma[at] ?? 0) + (seam.luma[chromaIndex(at, patch.width)] ?? 0)
  }
  for (let at = 0; at < seam.blue.length; at += 1) {
    filling.blue[at] = (filling.blue[at] ?? 0) + (seam.blue[at] ?? 0)
    filling.red[at] = (filling.red[at] ?? 0) + (seam.red[at] ?? 0)
  }
}

/** The colour sample of a pixel. */
function chromaIndex(at: number, width: number): number {
  return (Math.floor(at / width) >> 1) * (width >> 1) + ((at % width) >> 1)
}

/** What a filling and its surroundings differ by, at the places of colour samples. */
function measureSeam({ mask, width, x, y }: Patch, filling: PatchFill, now: FrameCrop) {
  const length = mask.length / 4
  const [luma, blue, red] = [new Float32Array(length), new Float32Array(length), new Float32Array(length)]
  const weights = new Float32Array(length).fill(firmness)
  const samples = new Uint8Array(length)
  let [seen, apart] = [0, 0]
  for (let at = mask.indexOf(bandMark); at >= 0; at = mask.indexOf(bandMark, at + 1)) {
    if (filling.isFilled[at] !== 1) continue
    const [column, row] = [x + (at % width) - now.x, y + Math.floor(at / width) - now.y]
    const from = row * now.width + column
    if (now.hidden[from] !== 0) continue
    const to = chromaIndex(at, width)
    luma[to] = (luma[to] ?? 0) + (now.data[from] ?? 0) - (filling.luma[at] ?? 0)
    samples[to] = (samples[to] ?? 0) + 1
    // A filling has colour where it has the first of its four pixels.
    const first = at - ((at % width) & 1) - (Math.floor(at / width) & 1) * width
    if (filling.isFilled[first] !== 1) continue
    const place = chromaIndex(from, now.width)
    blue[to] = (now.blue[place] ?? 128) - (filling.blue[to] ?? 128)
    red[to] = (now.red[place] ?? 128) - (filling.red[to] ?? 128)
  }
  for (let at = samples.findIndex((count) => count > 0); at >= 0 && at < length; at += 1) {
    const count = samples[at] ?? 0
    if (count === 0) continue
    const difference = (luma[at] ?? 0) / count
    luma[at] = Math.sign(difference) * Math.max(0, Math.abs(difference) - noiseLevels)
    weights[at] = 4
    seen += 1
    if (luma[at] !== 0) apart += 1
  }
  return { luma, blue, red, weights, seen, apart }
}
