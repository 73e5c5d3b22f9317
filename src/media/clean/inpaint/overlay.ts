import type { Frame, Overlay, Patch } from '../frame.ts'
import type { PatchFill } from './blend.ts'
import { growRect, hiddenMask } from './hidden-mask.ts'
import { estimateBackground, minSamples, OverlayFit } from './overlay-regression.ts'
import { hasUnfilled } from './site.ts'
import type { FrameCrop } from './view.ts'

/** Pixels around a patch from which its background is guessed. */
const surroundMargin = 24
/** Pixels that are counted over, of all patches: some 64 bytes each. */
const maxPixels = 2 ** 20

/**
 * Share of a patch's places that have to be explained: of translucent marks 50 to 90 % are, of what lets nothing
 * through 10 to 17 % seem to be, where what is behind moves by itself (a face) or as little as a hand's camera.
 */
const minExplainedShare = 0.4

/** A patch, and what was found to lie over it. */
export interface PatchOverlay {
  readonly patch: Patch
  readonly overlay: Overlay
}

/** What was found to lie over a patch, of all that was found. */
export function findOverlay(known: readonly PatchOverlay[], patch: Patch): Overlay | undefined {
  return known.find((one) => isSamePatch(one.patch, patch))?.overlay
}

/**
 * Learns from frames of a film what lies still over patches and is translucent: where the background changes, the
 * part of the change that is seen is what comes through (each pixel's regression on what its surroundings suggest). Of
 * a background that never changes nothing is known, nor of what lets nothing through.
 */
export class OverlayLearner {
  readonly #size: { readonly width: number; readonly height: number }
  readonly #counts: { readonly patch: Patch; samples: number }[] = []
  #fits: readonly { readonly patch: Patch; readonly fit: OverlayFit }[] | undefined

  constructor(size: { readonly width: number; readonly height: number }) {
    this.#size = size
  }

  /** Tells of the patches of a frame that is going to be sampled, before any is: only what stays is looked at. */
  countPatches(patches: readonly Patch[]): void {
    for (const patch of patches) {
      const there = this.#counts.find((one) => isSamePatch(one.patch, patch))
      if (there) there.samples += 1
      else this.#counts.push({ patch, samples: 1 })
    }
  }

  /** Whether anything stays long enough to be known. */
  get hasCandidates(): boolean {
    return this.#chosen().length > 0
  }

  /** Takes a frame into account. */
  sample(frame: Frame, patches: readonly Patch[]): void {
    for (const patch of patches) {
      this.#chosen()
        .find((one) => isSamePatch(one.patch, patch))
        ?.fit.add(frame, patches)
    }
  }

  /** All that lets something through. */
  get overlays(): readonly PatchOverlay[] {
    return this.#chosen().flatMap(({ patch, fit: { result: found } }) =>
      found && found.explained >= minExplainedShare ? [{ patch, overlay: found.overlay }] : [],
    )
  }

  /** What is counted over: of what stays long enough and beside which something is seen, what stays longest, as it fits. */
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

/** Deviations, and levels beside, by which a pixel may differ from what it usually shows. */
const tolerance = { deviations: 4, levels: 10 }

/**
 * Fills what no other frame shows of a patch, where something translucent is known to lie over it, by taking that
 * away from what the frame shows itself; not where it shows something else this time.
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
