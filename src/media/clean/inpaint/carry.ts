import type { Patch } from '../frame.ts'
import { lineOf, placesAlong } from './cell-lines.ts'
import type { Cells } from './cells.ts'
import { pool, type Layer } from './layer.ts'
import type { Match } from './match.ts'
import { sample } from './sample.ts'

/** Takes every pixel of a patch from a view, once, between its pixels. `worth` scales how much it counts. */
export function carry(patch: Patch, cells: Cells, { match, worth }: { match: Match; worth: number }): Layer {
  const { width, height, mask } = patch
  const layer = pool.pop(width * height)
  const { luma, share } = layer
  const { crop, map, gain, offset } = match
  const [a, b, c, d, e, f] = map
  const [right, down] = match.isStill ? [] : [match.right, match.down]
  const weight = match.doubt.map((doubt) => worth / (2 + doubt) ** 2)
  const places = placesAlong(cells, { first: patch.x, count: width, step: 1 })
  const [rights, downs, lifts, weights] = linesOf(width)
  for (let row = 0; row < height; row += 1) {
    const y = patch.y + row
    lineOf(right, places, { cells, y, into: rights })
    lineOf(down, places, { cells, y, into: downs })
    lineOf(match.lift, places, { cells, y, into: lifts })
    lineOf(weight, places, { cells, y, into: weights })
    let to = row * width
    for (let column = 0; column < width; column += 1, to += 1) {
      if (mask[to] === 0) continue
      const x = patch.x + column
      const u = a * x + b * y + c + (rights[column] ?? 0) - crop.x
      const v = d * x + e * y + f + (downs[column] ?? 0) - crop.y
      // Within half a pixel of what is kept.
      if (!(u > -0.5 && v > -0.5 && u < crop.width - 0.5 && v < crop.height - 0.5)) continue
      if (crop.hidden[((v + 0.5) | 0) * crop.width + ((u + 0.5) | 0)] !== 0) continue
      luma[to] = (sample(crop, u, v) - offset) / gain + (lifts[column] ?? 0)
      share[to] = weights[column] ?? 0
    }
  }
  carryColour(patch, cells, { match, layer })
  return layer
}

function linesOf(length: number): readonly [Float32Array, Float32Array, Float32Array, Float32Array] {
  return [
    new Float32Array(length),
    new Float32Array(length),
    new Float32Array(length),
    new Float32Array(length),
  ]
}

function carryColour(patch: Patch, cells: Cells, { match, layer }: { match: Match; layer: Layer }): void {
  const { crop, map, gain } = match
  const [a, b, c, d, e, f] = map
  const [width, height] = [patch.width / 2, patch.height / 2]
  const size = { width: crop.width / 2, height: crop.height / 2 }
  const [blues, reds] = [
    { ...size, data: crop.blue },
    { ...size, data: crop.red },
  ]
  const [right, down] = match.isStill ? [] : [match.right, match.down]
  // The middle of four pixels.
  const places = placesAlong(cells, { first: patch.x + 0.5, count: width, step: 2 })
  const [rights, downs, blueLifts, redLifts] = linesOf(width)
  for (let row = 0; row < height; row += 1) {
    const y = patch.y + 2 * row + 0.5
    lineOf(right, places, { cells, y, into: rights })
    lineOf(down, places, { cells, y, into: downs })
    lineOf(match.blue, places, { cells, y, into: blueLifts })
    lineOf(match.red, places, { cells, y, into: redLifts })
    for (let column = 0; column < width; column += 1) {
      // Whose first pixel is not shown, no one looks at.
      if (layer.share[row * 4 * width + 2 * column] === 0) continue
      const x = patch.x + 2 * column + 0.5
      const u = (a * x + b * y + c + (rights[column] ?? 0) - crop.x - 0.5) / 2
      const v = (d * x + e * y + f + (downs[column] ?? 0) - crop.y - 0.5) / 2
      const to = row * width + column
      layer.blue[to] = (sample(blues, u, v) - 128) / gain + 128 + (blueLifts[column] ?? 0)
      layer.red[to] = (sample(reds, u, v) - 128) / gain + 128 + (redLifts[column] ?? 0)
    }
  }
}
