import type { Frame, Overlay, Patch } from '../patch.ts'
import { fewest, Fit } from './overlay-fit.ts'
import { grown } from './masks.ts'

/** Pixels around a patch from which its background is guessed. */
const around = 24
/** Pixels that are counted over, of all patches: some 64 bytes each. */
const mostPixels = 2 ** 20

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
  readonly #expected: { readonly patch: Patch; samples: number; readonly fit: () => Fit }[] = []
  #pixels = 0

  constructor(size: { readonly width: number; readonly height: number }) {
    this.#size = size
  }

  /** Tells of the patches of a frame that may be sampled: only what stays is looked at. */
  expect(patches: readonly Patch[]): void {
    for (const patch of patches) {
      const there = this.#expected.find((one) => isSame(one.patch, patch))
      if (there) there.samples += 1
      else this.#expect(patch)
    }
  }

  #expect(patch: Patch): void {
    const area = grown(patch, { x: around, y: around }, this.#size)
    this.#pixels += area.width * area.height
    if (this.#pixels > mostPixels) return
    let fit: Fit | undefined
    this.#expected.push({ patch, samples: 1, fit: () => (fit ??= new Fit(patch, area)) })
  }

  /** Whether anything stays long enough to be known. */
  get isExpected(): boolean {
    return this.#expected.some(({ samples }) => samples >= fewest)
  }

  /** Takes a frame into account. */
  sample(frame: Frame, patches: readonly Patch[]): void {
    for (const patch of patches) {
      const expected = this.#expected.find((one) => one.samples >= fewest && isSame(one.patch, patch))
      expected?.fit().add(frame, patches)
    }
  }

  /** All that lets something through somewhere. */
  get known(): readonly LaidOver[] {
    return this.#expected.flatMap(({ patch, samples, fit }) => {
      const overlay = samples >= fewest ? fit().overlay : undefined
      return overlay?.through.some((share) => share > 0) === true ? [{ patch, overlay }] : []
    })
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
