import type { Patch } from '../frame.ts'
import { type CellGrid, interpolateLine, interpolationAlong } from './cell-grid.ts'
import { sampleBicubic } from './grey-image.ts'
import type { ViewMatch } from './match-view.ts'

/**
 * Warps a view onto a patch, sampling each masked pixel once by bicubic interpolation. `scale` multiplies the weights.
 */
export function warpPatch(
  patch: Patch,
  cells: CellGrid,
  { match, scale }: { match: ViewMatch; scale: number },
): WarpedLayer {
  const { width, height, mask } = patch
  const layer = layerPool.pop(width * height)
  const { luma, weight: share } = layer
  const { crop, map, gain, offset } = match
  const [a, b, c, d, e, f] = map
  const [right, down] = match.isStatic ? [] : [match.flowX, match.flowY]
  const cellWeights = match.residual.map((residual) => scale / (2 + residual) ** 2)
  const places = interpolationAlong(cells, { first: patch.x, count: width, step: 1 })
  const [rights, downs, lifts, weights] = lineBuffers(width)
  for (let row = 0; row < height; row += 1) {
    const y = patch.y + row
    interpolateLine(right, places, { cells, y, into: rights })
    interpolateLine(down, places, { cells, y, into: downs })
    interpolateLine(match.lumaOffset, places, { cells, y, into: lifts })
    interpolateLine(cellWeights, places, { cells, y, into: weights })
    let to = row * width
    for (let column = 0; column < width; column += 1, to += 1) {
      if (mask[to] === 0) continue
      const x = patch.x + column
      const u = a * x + b * y + c + (rights[column] ?? 0) - crop.x
      const v = d * x + e * y + f + (downs[column] ?? 0) - crop.y
      // Up to half a pixel outside the crop is clamped.
      if (!(u > -0.5 && v > -0.5 && u < crop.width - 0.5 && v < crop.height - 0.5)) continue
      if (crop.hidden[((v + 0.5) | 0) * crop.width + ((u + 0.5) | 0)] !== 0) continue
      luma[to] = (sampleBicubic(crop, u, v) - offset) / gain + (lifts[column] ?? 0)
      share[to] = weights[column] ?? 0
    }
  }
  warpChroma(patch, cells, { match, layer })
  return layer
}

function lineBuffers(length: number): readonly [Float32Array, Float32Array, Float32Array, Float32Array] {
  return [
    new Float32Array(length),
    new Float32Array(length),
    new Float32Array(length),
    new Float32Array(length),
  ]
}

function warpChroma(
  patch: Patch,
  cells: CellGrid,
  { match, layer }: { match: ViewMatch; layer: WarpedLayer },
): void {
  const { crop, map, gain } = match
  const [a, b, c, d, e, f] = map
  const [width, height] = [patch.width / 2, patch.height / 2]
  const size = { width: crop.width / 2, height: crop.height / 2 }
  const [blues, reds] = [
    { ...size, data: crop.blue },
    { ...size, data: crop.red },
  ]
  const [right, down] = match.isStatic ? [] : [match.flowX, match.flowY]
  // The centre of four pixels.
  const places = interpolationAlong(cells, { first: patch.x + 0.5, count: width, step: 2 })
  const [rights, downs, blueLifts, redLifts] = lineBuffers(width)
  for (let row = 0; row < height; row += 1) {
    const y = patch.y + 2 * row + 0.5
    interpolateLine(right, places, { cells, y, into: rights })
    interpolateLine(down, places, { cells, y, into: downs })
    interpolateLine(match.blueOffset, places, { cells, y, into: blueLifts })
    interpolateLine(match.redOffset, places, { cells, y, into: redLifts })
    for (let column = 0; column < width; column += 1) {
      // Chroma is read only where the top left pixel is shown.
      if (layer.weight[row * 4 * width + 2 * column] === 0) continue
      const x = patch.x + 2 * column + 0.5
      const u = (a * x + b * y + c + (rights[column] ?? 0) - crop.x - 0.5) / 2
      const v = (d * x + e * y + f + (downs[column] ?? 0) - crop.y - 0.5) / 2
      const to = row * width + column
      layer.blue[to] = (sampleBicubic(blues, u, v) - 128) / gain + 128 + (blueLifts[column] ?? 0)
      layer.red[to] = (sampleBicubic(reds, u, v) - 128) / gain + 128 + (redLifts[column] ?? 0)
    }
  }
}

/** Samples of one view warped onto a patch, in rows of the patch. */
export interface WarpedLayer {
  readonly luma: Float32Array
  /** Weight per pixel; 0 where the view does not show it. */
  readonly weight: Float32Array
  /** Chroma at half the width and height. */
  readonly blue: Float32Array
  readonly red: Float32Array
}

/** Unused layers by pixel count. Allocating layers for every frame takes longer than filling them. */
class LayerPool {
  readonly #free = new Map<number, WarpedLayer[]>()

  /** Returns a layer with all weights 0 and otherwise undefined content. */
  pop(pixels: number): WarpedLayer {
    const layer = this.#free.get(pixels)?.pop()
    layer?.weight.fill(0)
    return (
      layer ?? {
        luma: new Float32Array(pixels),
        weight: new Float32Array(pixels),
        blue: new Float32Array(pixels / 4),
        red: new Float32Array(pixels / 4),
      }
    )
  }

  push(layer: WarpedLayer): void {
    // Drop layers of sizes no longer used.
    if (this.#free.size > 8) this.#free.clear()
    const pixels = layer.luma.length
    const free = this.#free.get(pixels) ?? []
    this.#free.set(pixels, free)
    if (free.length < 16) free.push(layer)
  }
}

/** Shared by all inpainters of a thread. */
const layerPool = new LayerPool()

/** Returns layers to the pool. The caller must not use them afterwards. */
export function releaseLayers(layers: readonly WarpedLayer[]): void {
  for (const layer of layers) layerPool.push(layer)
}
