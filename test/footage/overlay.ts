import type { Frame, Patch, PatchesAt } from '../../src/media/clean/frame.ts'
import type { Scene } from './scene.ts'
import { seededNumbers } from './world.ts'

/** An overlay drawn on footage, and the patches that contain it. */
export interface Overlay {
  readonly patchesAt: PatchesAt
  /** Draws the overlay on the frame with this index. */
  readonly draw: (frame: Frame, index: number) => void
}

/** A box as shares of the frame. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** Usual positions. */
export const overlayBoxes: Readonly<Record<'subtitle' | 'logo', Box>> = {
  subtitle: { x: 0.255, y: 0.84, w: 0.49, h: 0.093 },
  logo: { x: 0.8, y: 0.07, w: 0.157, h: 0.111 },
}

/** A fully masked patch of a box. Position and sides are even. */
export function patchOf({ x, y, w, h }: Box, { width, height }: { width: number; height: number }): Patch {
  const [left, top] = [Math.floor((x * width) / 2) * 2, Math.floor((y * height) / 2) * 2]
  const size = { width: Math.round((w * width) / 2) * 2, height: Math.round((h * height) / 2) * 2 }
  return { x: left, y: top, ...size, mask: new Uint8Array(size.width * size.height).fill(1) }
}

/**
 * Subtitle lines with different text, each visible for `visibleFrames` and then hidden for `hiddenFrames`. `fadeOpacities` is the
 * opacity on the hidden frames next to a line, the nearest first.
 */
export function subtitles(
  scene: Scene,
  {
    visibleFrames = 24,
    hiddenFrames = 6,
    box = overlayBoxes.subtitle,
    fadeOpacities = [] as readonly number[],
  } = {},
): Overlay {
  const patches = [patchOf(box, scene)]
  const noPatches: readonly Patch[] = []
  const isShown = (index: number) => index % (visibleFrames + hiddenFrames) < visibleFrames
  return {
    patchesAt: (index) => (isShown(index) ? patches : noPatches),
    draw: (frame, index) => {
      const [line, at] = [
        Math.floor(index / (visibleFrames + hiddenFrames)),
        index % (visibleFrames + hiddenFrames),
      ]
      const [since, until] = [at - visibleFrames, visibleFrames + hiddenFrames - 1 - at]
      const strength = isShown(index) ? 1 : (fadeOpacities[Math.min(since, until)] ?? 0)
      const seed = 3 + line + (isShown(index) || since <= until ? 0 : 1)
      if (strength > 0) patches.forEach((patch) => strokes(frame, patch, seed, strength))
    },
  }
}

/** A permanent logo of opacity `strength`, 0 to 1. */
export function logo(scene: Scene, { box = overlayBoxes.logo, strength = 1 } = {}): Overlay {
  const patches = [patchOf(box, scene)]
  return {
    patchesAt: () => patches,
    draw: (frame) => patches.forEach((patch) => strokes(frame, patch, 99, strength)),
  }
}

/** Text that runs from right to left. */
export function movingText(scene: Scene, { speed = 2 } = {}): Overlay {
  const all = new Map<number, readonly Patch[]>()
  const patchesAt = (index: number) => {
    const at = all.get(index) ?? [
      patchOf({ x: Math.max(0, 0.7 - (index * speed) / scene.width), y: 0.84, w: 0.25, h: 0.09 }, scene),
    ]
    all.set(index, at)
    return at
  }
  return { patchesAt, draw: (frame, index) => patchesAt(index).forEach((patch) => strokes(frame, patch, 5)) }
}

/** Draws bright strokes with dark edges, like letters. */
function strokes(frame: Frame, { x, y, width, height }: Patch, seed: number, strength = 1): void {
  const random = seededNumbers(seed)
  const letter = Math.max(4, Math.round(height * 0.5))
  const colour = frame.width * frame.height
  for (let left = 4; left + letter < width - 2; left += letter + 2) {
    const bars = Array.from({ length: 3 }, () => ({ across: random() < 0.5, at: random() * 0.8 }))
    for (let row = 3; row < height - 3; row += 1) {
      for (let column = 0; column < letter; column += 1) {
        const edgeDistance = Math.min(
          ...bars.map(
            ({ across, at }) =>
              Math.abs((across ? row / height : column / letter) - at - 0.1) * (across ? height : letter),
          ),
        )
        if (edgeDistance > letter / 6 + 1) continue
        const to = (y + row) * frame.width + x + left + column
        const tone = edgeDistance > letter / 6 ? 20 : 232
        frame.bytes[to] = Math.round((frame.bytes[to] ?? 0) * (1 - strength) + tone * strength)
        // Four pixels share a chroma sample; the first one draws it.
        if ((row | (left + column)) & 1) continue
        const small = ((y + row) >> 1) * (frame.width >> 1) + ((x + left + column) >> 1)
        for (const plane of [colour, (colour * 5) / 4]) {
          frame.bytes[plane + small] = Math.round(
            (frame.bytes[plane + small] ?? 0) * (1 - strength) + 128 * strength,
          )
        }
      }
    }
  }
}
