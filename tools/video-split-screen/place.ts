import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { containedSize } from '../../src/media/layout/canvas.ts'
import { fitAxis, shownPart } from '../../src/media/layout/fit.ts'
import type { AxisFit } from '../../src/media/layout/fit.ts'
import { uprightSize } from './selection.ts'
import type { SelectedClip } from './selection.ts'
import type { Size, Rect } from '../../src/media/geometry.ts'

/** Placement of a clip's picture: the crop of the source and the position in the result. */
export interface ClipPlacement {
  readonly video: VideoFacts
  /** Start of its range in the file, ms. */
  readonly beginMs: number
  readonly x: AxisFit
  readonly y: AxisFit
  /** Top left corner on the canvas, pixels. */
  readonly left: number
  readonly top: number
  /** Visible part of the displayed source, in fractions, 0 to 1. */
  readonly sourceCrop: Rect
}

/**
 * Centres a clip in its slot. `cover` fills the slot and crops the rest, `contain` shows the whole picture.
 */
export function placeClip(clip: SelectedClip, slot: Rect, fit: 'cover' | 'contain'): ClipPlacement {
  const target = fit === 'cover' ? slot : containedSize(slot, clip.aspect)
  // At most one of the two axes is cropped.
  const keep = fit === 'cover' ? target.width / target.height / clip.aspect : 1
  const source = uprightSize(clip.video)
  const along = (length: number, share: number, wish: { start: number; size: number; shown: number }) => {
    const size = Math.min(wish.size, 1 - wish.start)
    const from = wish.start + (size * (1 - share)) / 2
    return fitAxis({ length, from: from * length, to: (from + size * share) * length, shown: wish.shown })
  }
  const { crop } = clip
  const x = along(source.width, Math.min(1, keep), { start: crop.x, size: crop.width, shown: target.width })
  const y = along(source.height, Math.min(1, 1 / keep), {
    start: crop.y,
    size: crop.height,
    shown: target.height,
  })
  return {
    video: clip.video,
    beginMs: clip.beginMs,
    x,
    y,
    left: slot.x + (slot.width - target.width) / 2,
    top: slot.y + (slot.height - target.height) / 2,
    sourceCrop: visibleShares({ x, y }, source),
  }
}

function visibleShares(fit: { x: AxisFit; y: AxisFit }, source: Size): Rect {
  const x = shownPart(fit.x)
  const y = shownPart(fit.y)
  return {
    x: x.from / source.width,
    y: y.from / source.height,
    width: (x.to - x.from) / source.width,
    height: (y.to - y.from) / source.height,
  }
}
