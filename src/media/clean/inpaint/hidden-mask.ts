import type { Patch } from '../frame.ts'
import { LruCache } from '../lru-cache.ts'
import type { Rect } from '../../geometry.ts'

/** Margin around a mask that counts as hidden too, in pixels: codecs smear the overlay into it. */
const smearMargin = 2

/**
 * Masks of the current and previous patch sets, for frames being read and frames being filled. Views keep references to
 * the masks they need.
 */
const hiddenMasks = new LruCache<readonly Patch[], LruCache<string, Uint8Array>>(4)
/** Limit of cached rectangles and scales per patch set. */
const masksPerFrame = 4096

/**
 * Returns the hidden pixels of a rectangle, 1 or 0 in rows, in steps of `factor` pixels: pixels of patches and their
 * margin. Returns the same array for consecutive frames with the same patches.
 */
export function hiddenMask(patches: readonly Patch[], { x, y, width, height }: Rect, factor = 1): Uint8Array {
  const maps = hiddenMasks.getOrCompute(patches, () => new LruCache(masksPerFrame))
  return maps.getOrCompute(`${x} ${y} ${width} ${height} ${factor}`, () =>
    rasterizeHidden(patches, { x, y, width, height }, factor),
  )
}

function rasterizeHidden(
  patches: readonly Patch[],
  { x, y, width, height }: Rect,
  factor: number,
): Uint8Array {
  const columns = Math.floor(width / factor)
  const rows = Math.floor(height / factor)
  const hidden = new Uint8Array(columns * rows)
  for (const patch of patches) {
    if (
      patch.x - smearMargin >= x + width ||
      patch.y - smearMargin >= y + height ||
      patch.x + patch.width + smearMargin <= x ||
      patch.y + patch.height + smearMargin <= y
    )
      continue
    for (let line = 0; line < patch.height; line += 1) {
      const top = Math.max(0, Math.floor((patch.y + line - smearMargin - y) / factor))
      const bottom = Math.min(rows - 1, Math.floor((patch.y + line + smearMargin - y) / factor))
      if (bottom < top) continue
      for (const [from, to] of maskRuns(patch, line)) {
        const begin = Math.max(0, Math.floor((patch.x + from - smearMargin - x) / factor))
        const end = Math.min(columns, Math.floor((patch.x + to - 1 + smearMargin - x) / factor) + 1)
        if (end <= begin) continue
        for (let row = top; row <= bottom; row += 1)
          hidden.fill(1, row * columns + begin, row * columns + end)
      }
    }
  }
  return hidden
}

/** Yields the runs [from, to) of masked pixels in a line of a patch. */
function* maskRuns({ mask, width }: Patch, line: number): Generator<readonly [from: number, to: number]> {
  const row = mask.subarray(line * width, (line + 1) * width)
  let from = row.indexOf(1)
  while (from >= 0) {
    const end = row.indexOf(0, from)
    const to = end < 0 ? width : end
    yield [from, to]
    from = to < width ? row.indexOf(1, to) : -1
  }
}

/** Extends a rectangle on all sides, clips it to the frame and rounds outwards to even position and size. */
export function growRect(
  rect: Rect,
  by: { readonly x: number; readonly y: number },
  frame: { width: number; height: number },
): Rect {
  const x = Math.max(0, Math.floor((rect.x - by.x) / 2) * 2)
  const y = Math.max(0, Math.floor((rect.y - by.y) / 2) * 2)
  const right = Math.min(frame.width, Math.ceil((rect.x + rect.width + by.x) / 2) * 2)
  const bottom = Math.min(frame.height, Math.ceil((rect.y + rect.height + by.y) / 2) * 2)
  return { x, y, width: right - x, height: bottom - y }
}
