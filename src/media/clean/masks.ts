import type { Rational } from '../../contract/media-facts.ts'
import { boxOf, evenSize } from './boxes.ts'
import type { Patch, PatchesAt } from './patch.ts'
import { connected, countCover } from './places.ts'
import { RecentPatches } from './recent-patches.ts'
import type { Area, Region } from './region.ts'
import type { Bounds, Size } from '../geometry.ts'
import { framesBetween } from '../frame-rate.ts'

/** What is to be treated, and where and when nothing may change. */
export interface Marked {
  readonly remove: readonly Region[]
  readonly protect: readonly Region[]
}

/** A box and the frames it holds on, the last one excluded. */
interface Span extends Bounds {
  readonly first: number
  readonly end: number
}

const none: readonly Patch[] = []

/**
 * What of each frame of a constant rate is treated: every pixel that what is removed touches and nothing protected
 * does. Places are worked out when they are first asked for, in any order, however many thousand regions there are.
 */
export function patchesOf(
  { remove, protect }: Marked,
  { size, rate }: { size: Size; rate: Rational },
): PatchesAt {
  const removed = spansOf(remove, size, rate)
  const kept = spansOf(protect, size, rate)
  const changes = changesOf([...removed, ...kept])
  const recent = new RecentPatches()
  return (frame) => {
    const index = lastUpTo(changes, frame)
    const since = changes[index]
    if (since === undefined) return none
    return (
      recent.get(since) ?? recent.add(since, patchesAt(activeAt(removed, since), activeAt(kept, since), size))
    )
  }
}

/** Frames at which what is treated may change, rising; before the first and from the last on there is nothing. */
export function changesOf(spans: readonly Pick<Span, 'first' | 'end'>[]): number[] {
  const frames = spans.flatMap(({ first, end }) => [first, end])
  return [...new Set(frames)].toSorted((one, other) => one - other)
}

/** Rising by their first frames. */
function spansOf(regions: readonly Region[], size: Size, rate: Rational): Span[] {
  const even = evenSize(size)
  return regions
    .flatMap((region) => {
      const box = boxOf(region, size, even)
      const { first, end } = framesBetween(region, rate)
      return box && first < end ? [{ ...box, first, end }] : []
    })
    .toSorted((one, other) => one.first - other.first)
}

function activeAt(spans: readonly Span[], frame: number): Span[] {
  return spans.slice(0, 1 + lastUpTo(spans, frame, ({ first }) => first)).filter(({ end }) => frame < end)
}

function lastUpTo<T>(rising: readonly T[], value: number, of = (one: T) => Number(one)): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const one = rising[middle]
    if (one !== undefined && of(one) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

function patchesAt(removed: readonly Bounds[], kept: readonly Bounds[], size: Size): readonly Patch[] {
  if (removed.length === 0) return none
  return connected(removed, evenSize(size)).flatMap((group) => patchIn(boxAround(group, 2), group, kept))
}

/** What of a still is treated: every pixel that an area touches. Places and sides may be odd. */
export function stillPatches(areas: readonly Area[], size: Size): readonly Patch[] {
  const boxes = areas.flatMap((area) => boxOf(area, size) ?? [])
  return connected(boxes, size).flatMap((group) => patchIn(boxAround(group, 1), group, []))
}

function patchIn(around: Bounds, removed: readonly Bounds[], kept: readonly Bounds[]): Patch[] {
  const mask = maskOf(around, removed, kept)
  const { left: x, top: y, right, bottom } = around
  return mask.includes(1) ? [{ x, y, width: right - x, height: bottom - y, mask }] : []
}

/** The smallest box around all whose place and sides are multiples of a step. */
function boxAround(group: readonly Bounds[], step: number): Bounds {
  const around = { left: Infinity, top: Infinity, right: 0, bottom: 0 }
  for (const { left, top, right, bottom } of group) {
    around.left = Math.min(around.left, left - (left % step))
    around.top = Math.min(around.top, top - (top % step))
    around.right = Math.max(around.right, right + (right % step))
    around.bottom = Math.max(around.bottom, bottom + (bottom % step))
  }
  return around
}

function maskOf(around: Bounds, removed: readonly Bounds[], kept: readonly Bounds[]): Uint8Array {
  const size = { width: around.right - around.left, height: around.bottom - around.top }
  const mask = new Uint8Array(size.width * size.height)
  const cover = countCover(inside(removed, around), size)
  const guard = countCover(inside(kept, around), size)
  for (let row = 0, at = 0; row < size.height; row++) {
    const from = row * (size.width + 1)
    for (let column = 0; column < size.width; column++, at++) {
      if ((cover[from + column] ?? 0) > 0 && guard[from + column] === 0) mask[at] = 1
    }
  }
  return mask
}

/** What of boxes lies in another, as places in that one. */
function inside(boxes: readonly Bounds[], around: Bounds): Bounds[] {
  return boxes.flatMap((box) => {
    const left = Math.max(box.left, around.left) - around.left
    const top = Math.max(box.top, around.top) - around.top
    const right = Math.min(box.right, around.right) - around.left
    const bottom = Math.min(box.bottom, around.bottom) - around.top
    return left < right && top < bottom ? [{ left, top, right, bottom }] : []
  })
}
