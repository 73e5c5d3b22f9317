/** What one view shows of a patch's pixels, in the patch's rows. */
export interface Layer {
  readonly luma: Float32Array
  /** How much a pixel counts; 0 where the view does not show it. */
  readonly share: Float32Array
  /** By colour samples, of half the patch's sides. */
  readonly blue: Float32Array
  readonly red: Float32Array
}

/** Layers that are not needed any more, by their pixels: to make new ones for every frame costs more than to fill them. */
class Pool {
  readonly #free = new Map<number, Layer[]>()

  /** One whose shares are all 0; what else is in it is somebody's. */
  pop(pixels: number): Layer {
    const layer = this.#free.get(pixels)?.pop()
    layer?.share.fill(0)
    return (
      layer ?? {
        luma: new Float32Array(pixels),
        share: new Float32Array(pixels),
        blue: new Float32Array(pixels / 4),
        red: new Float32Array(pixels / 4),
      }
    )
  }

  push(layer: Layer): void {
    // Of sizes that are gone nothing is kept.
    if (this.#free.size > 8) this.#free.clear()
    const pixels = layer.luma.length
    const free = this.#free.get(pixels) ?? []
    this.#free.set(pixels, free)
    if (free.length < 16) free.push(layer)
  }
}

/** Of all work of this thread. */
export const pool = new Pool()

/** Takes layers back that nobody will look at again. */
export function release(layers: readonly Layer[]): void {
  for (const layer of layers) pool.push(layer)
}
