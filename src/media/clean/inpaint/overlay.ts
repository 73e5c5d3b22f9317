import type { Frame, Overlay, Patch } from '../frame.ts'
import type { PatchFill } from './blend.ts'
import { growRect, hiddenMask } from './hidden-mask.ts'
import { estimateBackground, minSamples, OverlayFit } from './overlay-regression.ts'
import { hasUnfilled } from './site.ts'
import type { FrameCrop } from './view.ts'

/** Margin around a patch for estimating its background, in pixels. */
const surroundMargin = 24
/** Limit of analysed pixels over all patches, at about 64 bytes each. */
const maxPixels = 2 ** 20

/**
 * Least share of a patch's pixels that the model must explain. Measured: 50 to 90 % for translucent marks; 10 to 17 %
 * for opaque ones over independently moving content (a face) or handheld footage.
 */
const minExplainedShare = 0.4

/** A patch and the overlay found on it. */
export interface PatchOverlay {
  readonly patch: Patch
  readonly overlay: Overlay
}

/** Returns the overlay found on a patch, if any. */
export function findOverlay(known: readonly PatchOverlay[], patch: Patch): Overlay | undefined {
  return known.find((one) => isSamePatch(one.patch, patch))?.overlay
}

/**
 * Learns translucent overlays that stay in place, from frames of a video. The share of background change that remains
 * visible is the transmittance, estimated per pixel by regression on the interpolated surroundings. A background that
 * never changes and an opaque overlay yield no estimate.
 */
export class OverlayLearner {
  readonly #size: { readonly width: number; readonly height: number }
  readonly #counts: { readonly patch: Patch; samples: number }[] = []
  #fits: readonly { readonly patch: Patch; readonly fit: OverlayFit }[] | undefined

  constructor(size: { readonly width: number; readonly height: number }) {
    this.#size = size
  }

  /**
   * Counts the patches of a frame to be sampled. Call it for all frames before the first `sample`: only long-lasting
   * patches are analysed.
   */
  countPatches(patches: readonly Patch[]): void {
    for (const patch of patches) {
      const there = this.#counts.find((one) => isSamePatch(one.patch, patch))
      if (there) there.samples += 1
      else this.#counts.push({ patch, samples: 1 })
    }
  }

  /** Whether any patch lasts long enough to be analysed. */
  get hasCandidates(): boolean {
    return this.#chosen().length > 0
  }

  /** Adds a frame to the statistics. */
  sample(frame: Frame, patches: readonly Patch[]): void {
    for (const patch of patches) {
      this.#chosen()
        .find((one) => isSamePatch(one.patch, patch))
        ?.fit.add(frame, patches)
    }
  }

  /** Overlays that were found to be translucent. */
  get overlays(): readonly PatchOverlay[] {
    return this.#chosen().flatMap(({ patch, fit: { result: found } }) =>
      found && found.explained >= minExplainedShare ? [{ patch, overlay: found.overlay }] : [],
    )
  }

  /** Patches to analyse: the longest-lasting ones with visible surroundings, within the memory limit. */
  #chosen() {
    if (this.#fits) return this.#fits
    const lasting = this.#counts.filter(({ samples }) => samples >= minSamples)
    let left = maxPixels
    this.#fits = lasting
      .toSorted((one, other) => other.samples - one.samples)
      .flatMap(({ patch }) => {
        const area = growRect(patch, { x: surroundMargin, y: surroundMargin }, this.#size)
        const pixels = area.width * area.height
        if (pixels > left || !hiddenMask([patch], area).includes(0)) return []
        left -= pixels
        return [{ patch, fit: new OverlayFit(patch, area) }]
      })
    return this.#fits
  }
}

function isSamePatch(one: Patch, other: Patch): boolean {
  if (one === other) return true
  const { x, y, width, height, mask } = one
  return (
    x === other.x &&
    y === other.y &&
    width === other.width &&
    height === other.height &&
    Buffer.compare(mask, other.mask) === 0
  )
}

/** Allowed deviation from the overlay model: standard deviations plus levels. */
const tolerance = { deviations: 4, levels: 10 }

/**
 * Fills pixels that no other frame shows by inverting the overlay model on the frame itself. Skips pixels that deviate
 * from the model in this frame.
 */
export function removeOverlay(
  crop: FrameCrop,
  { patch, overlay }: { readonly patch: Patch; readonly overlay: Overlay },
  { patch: wide, filling }: { readonly patch: Patch; readonly filling: PatchFill },
): void {
  if (!hasUnfilled(wide, filling)) return
  const {
    transmittance: through,
    lumaOffset: added,
    residual: rest,
    blueOffset: blue,
    redOffset: red,
  } = overlay
  const [left, top] = [patch.x - wide.x, patch.y - wide.y]
  const guess = estimateBackground(crop.data, crop.hidden, { columns: crop.width, rows: crop.height })
  for (let at = 0; at < patch.mask.length; at += 1) {
    const share = through[at] ?? 0
    const [column, row] = [at % patch.width, Math.floor(at / patch.width)]
    const to = (row + top) * wide.width + column + left
    if (share === 0 || filling.isFilled[to] === 1) continue
    const [x, y] = [patch.x + column - crop.x, patch.y + row - crop.y]
    const from = y * crop.width + x
    const shown = (crop.data[from] ?? 0) - (added[at] ?? 0)
    const apart = Math.abs(shown - share * (guess[from] ?? 0))
    if (apart > tolerance.deviations * (rest[at] ?? 0) + tolerance.levels) continue
    filling.luma[to] = shown / share
    filling.isFilled[to] = 1
    if ((row | column) & 1) continue
    const own = (row >> 1) * (patch.width >> 1) + (column >> 1)
    const into = ((row + top) >> 1) * (wide.width >> 1) + ((column + left) >> 1)
    const small = (y >> 1) * (crop.width >> 1) + (x >> 1)
    filling.blue[into] = ((crop.blue[small] ?? 128) - (blue[own] ?? 0)) / share
    filling.red[into] = ((crop.red[small] ?? 128) - (red[own] ?? 0)) / share
  }
}
