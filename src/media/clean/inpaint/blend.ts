import type { Frame, Patch } from '../frame.ts'
import type { WarpedLayer } from './warp-patch.ts'

/**
 * Filled samples of a patch, in rows of the patch; chroma at half its width and height. Levels 0 to 255, not rounded.
 */
export interface PatchFill {
  readonly luma: Float32Array
  readonly blue: Float32Array
  readonly red: Float32Array
  /** 1 where a pixel is filled, else 0. */
  readonly isFilled: Uint8Array
}

/** Difference, in levels, at which the weight of a deviating view halves. */
const maxDeviation = 8

/**
 * Blends warped layers by their weights. Where views disagree, those that differ from the view with the largest weight
 * are suppressed, unless their weights are nearly equal; then the result crossfades over time.
 */
export function blendLayers({ width, height, mask }: Patch, layers: readonly WarpedLayer[]): PatchFill {
  const filling: PatchFill = {
    luma: new Float32Array(width * height),
    blue: new Float32Array((width * height) / 4),
    red: new Float32Array((width * height) / 4),
    isFilled: new Uint8Array(width * height),
  }
  const shares = new Float32Array(layers.length)
  for (let row = 0; row < height; row += 1) {
    for (let at = row * width, end = at + width; at < end; at += 1) {
      if (mask[at] === 0) continue
      const all = weighLayers(layers, at, shares)
      if (all === 0) continue
      let sum = 0
      for (let index = 0; index < layers.length; index += 1) {
        const share = shares[index] ?? 0
        if (share > 0) sum += share * (layers[index]?.luma[at] ?? 0)
      }
      filling.luma[at] = sum / all
      filling.isFilled[at] = 1
      // The top left pixel of each 2 x 2 block determines the chroma weights.
      if (((row | at) & 1) === 0)
        blendChroma(filling, layers, {
          at: (row >> 1) * (width >> 1) + ((width - end + at) >> 1),
          shares,
          all,
        })
    }
  }
  return filling
}

/** Writes the effective weight of each layer at a pixel into `shares` and returns their sum. */
function weighLayers(layers: readonly WarpedLayer[], at: number, shares: Float32Array): number {
  let [best, most, count] = [0, 0, 0]
  for (let index = 0; index < layers.length; index += 1) {
    const share = layers[index]?.weight[at] ?? 0
    shares[index] = share
    if (share === 0) continue
    count += 1
    if (share > most) {
      most = share
      best = layers[index]?.luma[at] ?? 0
    }
  }
  if (count < 2) return most
  let all = 0
  for (let index = 0; index < layers.length; index += 1) {
    const share = shares[index] ?? 0
    if (share === 0) continue
    const deviation = ((layers[index]?.luma[at] ?? 0) - best) / maxDeviation
    const squared = deviation * deviation
    const equal = share / most
    const kept = 1 / (1 + squared * squared)
    const own = share * (kept + (1 - kept) * equal * equal * equal * equal)
    shares[index] = own
    all += own
  }
  return all
}

function blendChroma(
  { blue, red }: PatchFill,
  layers: readonly WarpedLayer[],
  { at, shares, all }: { at: number; shares: Float32Array; all: number },
): void {
  let blues = 0
  let reds = 0
  for (let index = 0; index < layers.length; index += 1) {
    const share = shares[index] ?? 0
    if (share === 0) continue
    blues += share * (layers[index]?.blue[at] ?? 0)
    reds += share * (layers[index]?.red[at] ?? 0)
  }
  blue[at] = blues / all
  red[at] = reds / all
}

/**
 * Writes a fill into a frame, only where the patch's mask is 1. A chroma sample changes only where the mask is 1 for
 * all its four pixels.
 */
export function writeFill(patch: Patch, { luma, blue, red, isFilled }: PatchFill, frame: Frame): void {
  const { x, y, width, height, mask } = patch
  const colour = frame.width * frame.height
  for (let row = 0; row < height; row += 1) {
    const line = (y + row) * frame.width + x
    for (let column = 0, at = row * width; column < width; column += 1, at += 1) {
      if (mask[at] !== 1 || isFilled[at] !== 1) continue
      frame.bytes[line + column] = roundToByte(luma[at] ?? 0)
      if ((row | column) & 1 || mask[at + 1] !== 1 || mask[at + width] !== 1 || mask[at + width + 1] !== 1)
        continue
      const small = (row >> 1) * (width >> 1) + (column >> 1)
      const to = colour + ((y + row) >> 1) * (frame.width >> 1) + ((x + column) >> 1)
      frame.bytes[to] = roundToByte(blue[small] ?? 128)
      frame.bytes[to + colour / 4] = roundToByte(red[small] ?? 128)
    }
  }
}

function roundToByte(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : (value + 0.5) | 0
}
