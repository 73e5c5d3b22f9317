import type { Patch } from '../frame.ts'
import type { PatchFill } from './blend.ts'
import type { FrameCrop } from './view.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'

/**
 * Width of the band around a mask that is filled as well, in pixels, to measure the difference at the seam. The inner
 * half may contain coding artefacts.
 */
const band = 4

/** Mask value of pixels in the band. */
export const bandMark = 2

const widened = new WeakMap<Patch, Patch>()

/**
 * Returns a patch extended by the band, clipped to the frame, with band pixels marked as `bandMark`. Cached per patch.
 */
export function widenByBand(patch: Patch, frame: { readonly width: number; readonly height: number }): Patch {
  const cached = widened.get(patch)
  if (cached) return cached
  const [x, y] = [Math.max(0, patch.x - band), Math.max(0, patch.y - band)]
  const width = Math.min(frame.width, patch.x + patch.width + band) - x
  const height = Math.min(frame.height, patch.y + patch.height + band) - y
  const mask = new Uint8Array(width * height)
  for (const value of [bandMark, 1]) {
    const margin = value === 1 ? 0 : band
    for (let row = 0; row < patch.height; row += 1) {
      for (let column = 0; column < patch.width; column += 1) {
        if (patch.mask[row * patch.width + column] !== 1) continue
        const left = Math.max(0, patch.x + column - margin - x)
        const right = Math.min(width, patch.x + column + margin + 1 - x)
        const bottom = Math.min(height - 1, patch.y + row + margin - y)
        // Fill whole runs; only the first and last pixel of a line extend it sideways, which is equivalent.
        for (let line = Math.max(0, patch.y + row - margin - y); line <= bottom; line += 1) {
          mask.fill(value, line * width + left, line * width + right)
        }
      }
    }
  }
  const wide = { x, y, width, height, mask }
  widened.set(patch, wide)
  return wide
}

/** Differences up to this many levels count as noise. */
const noiseLevels = 3
/** Membrane weight that keeps a fill at its value: corrections fade over about ten pixels. */
const keepWeight = 0.03

/**
 * Removes the difference between a fill and its surroundings at the seam, in place. The difference, less noise, is
 * spread into the fill by membrane interpolation (gradient-domain blending, Pérez 2003).
 */
export function closeSeams(patch: Patch, filling: PatchFill, now: FrameCrop): void {
  const grid = { columns: patch.width >> 1, rows: patch.height >> 1, rounds: 8 }
  const seam = measureSeam(patch, filling, now)
  if (seam.differingCount < 0.04 * seam.sampleCount) return
  for (const shift of [seam.luma, seam.blue, seam.red]) interpolateMembrane(shift, seam.weights, grid)
  for (let at = 0; at < patch.mask.length; at += 1) {
    filling.luma[at] = (filling.luma[at] ?? 0) + (seam.luma[chromaIndex(at, patch.width)] ?? 0)
  }
  for (let at = 0; at < seam.blue.length; at += 1) {
    filling.blue[at] = (filling.blue[at] ?? 0) + (seam.blue[at] ?? 0)
    filling.red[at] = (filling.red[at] ?? 0) + (seam.red[at] ?? 0)
  }
}

/** Returns the index of the chroma sample of a pixel. */
function chromaIndex(at: number, width: number): number {
  return (Math.floor(at / width) >> 1) * (width >> 1) + ((at % width) >> 1)
}

/** Measures the difference between the surroundings and the fill in the band, per chroma sample, in levels. */
function measureSeam({ mask, width, x, y }: Patch, filling: PatchFill, now: FrameCrop) {
  const length = mask.length / 4
  const [luma, blue, red] = [new Float32Array(length), new Float32Array(length), new Float32Array(length)]
  const weights = new Float32Array(length).fill(keepWeight)
  const samples = new Uint8Array(length)
  let [sampleCount, differingCount] = [0, 0]
  for (let at = mask.indexOf(bandMark); at >= 0; at = mask.indexOf(bandMark, at + 1)) {
    if (filling.isFilled[at] !== 1) continue
    const [column, row] = [x + (at % width) - now.x, y + Math.floor(at / width) - now.y]
    const from = row * now.width + column
    if (now.hidden[from] !== 0) continue
    const to = chromaIndex(at, width)
    luma[to] = (luma[to] ?? 0) + (now.data[from] ?? 0) - (filling.luma[at] ?? 0)
    samples[to] = (samples[to] ?? 0) + 1
    // The fill has chroma where the top left pixel of the 2 x 2 block is filled.
    const first = at - ((at % width) & 1) - (Math.floor(at / width) & 1) * width
    if (filling.isFilled[first] !== 1) continue
    const chromaAt = chromaIndex(from, now.width)
    blue[to] = (now.blue[chromaAt] ?? 128) - (filling.blue[to] ?? 128)
    red[to] = (now.red[chromaAt] ?? 128) - (filling.red[to] ?? 128)
  }
  for (let at = samples.findIndex((count) => count > 0); at >= 0 && at < length; at += 1) {
    const count = samples[at] ?? 0
    if (count === 0) continue
    const difference = (luma[at] ?? 0) / count
    luma[at] = Math.sign(difference) * Math.max(0, Math.abs(difference) - noiseLevels)
    weights[at] = 4
    sampleCount += 1
    if (luma[at] !== 0) differingCount += 1
  }
  return { luma, blue, red, weights, sampleCount, differingCount }
}
