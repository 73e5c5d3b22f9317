import type { Frame, Overlay, Patch } from '../frame.ts'
import { fewest, Fit } from './overlay-fit.ts'
import { grown, hiddenIn } from './masks.ts'

/** Pixels around a patch from which its background is guessed. */
const around = 24
/** Pixels that are counted over, of all patches: some 64 bytes each. */
const mostPixels = 2 ** 20

/**
 * Share of a patch's places that have to be explained: of translucent marks 50 to 90 % are, of what lets nothing
 * through 10 to 17 % seem to be, where what is behind moves by itself (a face) or as little as a hand's camera.
 */
const fewestExplained = 0.4

/** A patch, and what was found to lie over it. */
export interface LaidOver {
  readonly patch: Patch
  readonly overlay: Overlay
}

/** What was found to lie over a patch, of all that was found. */
export function overlayIn(known: readonly LaidOver[], patch: Patch): Overlay | undefined {
  return known.find((one) => isSame(one.patch, patch))?.overlay
}

/**
 * Learns from frames of a film what lies still over patches and is translucent: where the background changes, the
 * part of the change that is seen is what comes through (each pixel's regression on what its surroundings suggest). Of
 * a background that never changes nothing is known, nor of what lets nothing through.
 */
export class Overlays {
  readonly #size: { readonly width: number; readonly height: number }
  readonly #counts: { readonly patch: Patch; samples: number }[] = []
  #fits: readonly { readonly patch: Patch; readonly fit: Fit }[] | undefined

  constructor(size: { readonly width: number; readonly height: number }) {
    this.#size = size
  }

  /** Tells of the patches of a frame that is going to be sampled, before any is: only what stays is looked at. */
  expect(patches: readonly Patch[]): void {
    for (const patch of patches) {
      const there = this.#counts.find((one) => isSame(one.patch, patch))
      if (there) there.samples += 1
      else this.#counts.push({ patch, samples: 1 })
    }
  }

  /** Whether anything stays long enough to be known. */
  get isExpected(): boolean {
    return this.#chosen().length > 0
  }

  /** Takes a frame into account. */
  sample(frame: Frame, patches: readonly Patch[]): void {
    for (const patch of patches) {
      this.#chosen()
        .find((one) => isSame(one.patch, patch))
        ?.fit.add(frame, patches)
    }
  }

  /** All that lets something through. */
  get known(): readonly LaidOver[] {
    return this.#chosen().flatMap(({ patch, fit: { found } }) =>
      found && found.explained >= fewestExplained ? [{ patch, overlay: found.overlay }] : [],
    )
  }

  /** What is counted over: of what stays long enough and beside which something is seen, what stays longest, as it fits. */
  #chosen() {
    if (this.#fits) return this.#fits
    const lasting = this.#counts.filter(({ samples }) => samples >= fewest)
    let left = mostPixels
    this.#fits = lasting
      .toSorted((one, other) => other.samples - one.samples)
      .flatMap(({ patch }) => {
        const area = grown(patch, { x: around, y: around }, this.#size)
        const pixels = area.width * area.height
        if (pixels > left || !hiddenIn([patch], area).includes(0)) return []
        left -= pixels
        return [{ patch, fit: new Fit(patch, area) }]
      })
    return this.#fits
  }
}

function isSame(one: Patch, other: Patch): boolean {
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
