import type { Rational } from '../../contract/media-facts.ts'
import { framesBetween } from '../frame-rate.ts'
import type { Bounds, Size } from '../geometry.ts'
import type { Patch, PatchesAt } from './frame.ts'
import { LruCache } from './lru-cache.ts'
import { type Area, evenSize, pixelBox, type Region } from './region.ts'

/** Regions to remove, and regions in which nothing may change. */
export interface MarkedRegions {
  readonly remove: readonly Region[]
  readonly protect: readonly Region[]
}

/** A box and the range of frames in which it is active, end exclusive. */
interface BoxSpan extends Bounds {
  readonly first: number
  readonly end: number
}

const noPatches: readonly Patch[] = []

/** Mask pixels of cached patches. Treatments look ahead and back, so several states are needed. */
const maxCachedPixels = 2 ** 25

/**
 * Returns a function that looks up the patches of a frame: all pixels touched by a removed region and by no protected
 * one. Patches are computed on demand, in any order, for many thousands of regions.
 */
export function createPatchLookup(
  { remove, protect }: MarkedRegions,
  { size, rate }: { size: Size; rate: Rational },
): PatchesAt {
  const removed = boxSpans(remove, size, rate)
  const kept = boxSpans(protect, size, rate)
  const changes = changeFrames([...removed, ...kept])
  const recent = new LruCache<number, readonly Patch[]>(maxCachedPixels, maskPixelCount)
  return (frame) => {
    const index = lastIndexUpTo(changes, frame)
    const since = changes[index]
    if (since === undefined) return noPatches
    return recent.getOrCompute(since, () =>
      computePatches(activeAt(removed, since), activeAt(kept, since), size),
    )
  }
}

function maskPixelCount(patches: readonly Patch[]): number {
  return patches.reduce((sum, { mask }) => sum + mask.length, 0)
}

/** Returns the frames at which patches may change, ascending. No patch exists before the first and from the last on. */
function changeFrames(spans: readonly Pick<BoxSpan, 'first' | 'end'>[]): number[] {
  const frames = spans.flatMap(({ first, end }) => [first, end])
  return [...new Set(frames)].toSorted((one, other) => one - other)
}

/** Converts regions to pixel boxes and frame ranges, ordered by first frame. */
function boxSpans(regions: readonly Region[], size: Size, rate: Rational): BoxSpan[] {
  const even = evenSize(size)
  return regions
    .flatMap((region) => {
      const box = pixelBox(region, size, even)
      const { first, end } = framesBetween(region, rate)
      return box && first < end ? [{ ...box, first, end }] : []
    })
    .toSorted((one, other) => one.first - other.first)
}

function activeAt(spans: readonly BoxSpan[], frame: number): BoxSpan[] {
  return spans
    .slice(0, 1 + lastIndexUpTo(spans, frame, ({ first }) => first))
    .filter(({ end }) => frame < end)
}

function lastIndexUpTo<T>(rising: readonly T[], value: number, of = (one: T) => Number(one)): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const one = rising[middle]
    if (one !== undefined && of(one) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

function computePatches(removed: readonly Bounds[], kept: readonly Bounds[], size: Size): readonly Patch[] {
  if (removed.length === 0) return noPatches
  return connectedGroups(removed, evenSize(size)).flatMap((group) =>
    maskedPatch(boundingBox(group, 2), group, kept),
  )
}

/** Returns the patches of a still image: all pixels touched by an area. Position and size may be odd. */
export function stillPatches(areas: readonly Area[], size: Size): readonly Patch[] {
  const boxes = areas.flatMap((area) => pixelBox(area, size) ?? [])
  return connectedGroups(boxes, size).flatMap((group) => maskedPatch(boundingBox(group, 1), group, []))
}

function maskedPatch(around: Bounds, removed: readonly Bounds[], kept: readonly Bounds[]): Patch[] {
  const mask = rasterizeMask(around, removed, kept)
  const { left: x, top: y, right, bottom } = around
  return mask.includes(1) ? [{ x, y, width: right - x, height: bottom - y, mask }] : []
}

/** Returns the smallest box around all boxes whose position and size are multiples of `step`. */
function boundingBox(group: readonly Bounds[], step: number): Bounds {
  const around = { left: Infinity, top: Infinity, right: 0, bottom: 0 }
  for (const { left, top, right, bottom } of group) {
    around.left = Math.min(around.left, left - (left % step))
    around.top = Math.min(around.top, top - (top % step))
    around.right = Math.max(around.right, right + (right % step))
    around.bottom = Math.max(around.bottom, bottom + (bottom % step))
  }
  return around
}

function rasterizeMask(around: Bounds, removed: readonly Bounds[], kept: readonly Bounds[]): Uint8Array {
  const size = { width: around.right - around.left, height: around.bottom - around.top }
  const mask = new Uint8Array(size.width * size.height)
  const cover = coverageCounts(clipBoxes(removed, around), size)
  const guard = coverageCounts(clipBoxes(kept, around), size)
  for (let row = 0, at = 0; row < size.height; row++) {
    const from = row * (size.width + 1)
    for (let column = 0; column < size.width; column++, at++) {
      if ((cover[from + column] ?? 0) > 0 && guard[from + column] === 0) mask[at] = 1
    }
  }
  return mask
}

/** Clips boxes to another box and makes them relative to its corner. */
function clipBoxes(boxes: readonly Bounds[], around: Bounds): Bounds[] {
  return boxes.flatMap((box) => {
    const left = Math.max(box.left, around.left) - around.left
    const top = Math.max(box.top, around.top) - around.top
    const right = Math.min(box.right, around.right) - around.left
    const bottom = Math.min(box.bottom, around.bottom) - around.top
    return left < right && top < bottom ? [{ left, top, right, bottom }] : []
  })
}

/** Tile size for grouping boxes, in pixels. Boxes closer than this may be treated as one patch. */
const tileSide = 16

/**
 * Returns the number of boxes over each pixel, by a summed-area table of (width + 1) x (height + 1) entries. The time
 * depends on the area, not on the number of boxes.
 */
function coverageCounts(boxes: readonly Bounds[], { width, height }: Size): Int32Array {
  const stride = width + 1
  const sums = new Int32Array(stride * (height + 1))
  const add = (at: number, count: number) => (sums[at] = (sums[at] ?? 0) + count)
  for (const { left, top, right, bottom } of boxes) {
    add(top * stride + left, 1)
    add(top * stride + right, -1)
    add(bottom * stride + left, -1)
    add(bottom * stride + right, 1)
  }
  for (let row = 0, at = 0; row <= height; row++) {
    for (let column = 0, along = 0; column <= width; column++, at++) {
      along += sums[at] ?? 0
      sums[at] = along + (row > 0 ? (sums[at - stride] ?? 0) : 0)
    }
  }
  return sums
}

/** Groups boxes so that touching or overlapping boxes share a group. Boxes closer than a tile may share one. */
function connectedGroups(boxes: readonly Bounds[], { width, height }: Size): Bounds[][] {
  if (boxes.length < 2) return boxes.map((box) => [box])
  const tiles = { width: Math.ceil(width / tileSide), height: Math.ceil(height / tileSide) }
  const cover = coverageCounts(boxes.map(toTiles), tiles)
  const labels = labelComponents(cover, tiles)
  const groups = new Map<number, Bounds[]>()
  for (const box of boxes) {
    const place =
      labels[Math.floor(box.top / tileSide) * (tiles.width + 1) + Math.floor(box.left / tileSide)] ?? 0
    const group = groups.get(place)
    if (group) group.push(box)
    else groups.set(place, [box])
  }
  return [...groups.values()]
}

function toTiles({ left, top, right, bottom }: Bounds): Bounds {
  const down = (value: number) => Math.floor(value / tileSide)
  const up = (value: number) => Math.ceil(value / tileSide)
  return { left: down(left), top: down(top), right: up(right), bottom: up(bottom) }
}

/** Labels connected components of covered cells (8-connected) from 1. Rows have width + 1 entries. */
function labelComponents(cover: Int32Array, { width, height }: Size): Int32Array {
  const stride = width + 1
  const labels = new Int32Array(cover.length)
  let last = 0
  const open: number[] = []
  const enter = (row: number, column: number) => {
    const at = row * stride + column
    if (row < 0 || column < 0 || row >= height || column >= width) return
    if ((cover[at] ?? 0) === 0 || labels[at] !== 0) return
    labels[at] = last
    open.push(at)
  }
  for (let start = 0; start < stride * height; start++) {
    if ((cover[start] ?? 0) === 0 || labels[start] !== 0 || start % stride === width) continue
    last += 1
    enter(Math.floor(start / stride), start % stride)
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [row, column] = [Math.floor(at / stride), at % stride]
      for (const down of [-1, 0, 1]) for (const right of [-1, 0, 1]) enter(row + down, column + right)
    }
  }
  return labels
}
