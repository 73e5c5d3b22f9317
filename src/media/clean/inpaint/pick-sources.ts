import { composeMaps, invertMap, type AffineMap } from './affine.ts'
import type { CellGrid } from './cell-grid.ts'
import type { FrameCrop, FrameView } from './view.ts'
import { isRectInside } from '../../geometry.ts'

/** A view that shows part of what a patch hides. */
export interface SourceView {
  readonly view: FrameView
  readonly crop: FrameCrop
  /** Maps pixels of the frame being filled to the view, by camera motion. */
  readonly map: AffineMap
}

/** Indexes of the frames that contributed to the previous fill. */
type UsedViews = Pick<ReadonlyMap<number, unknown>, 'has'>

/** Number of views per time direction that should show each cell, so that passing objects can be outvoted. */
const viewsPerCell = 2
/** Size of a patch with its ring, in pixels, above which one view per direction must suffice. */
const largePixels = 40_000
/** Limit of views per direction. */
const maxPerSide = 8
/** Limit of candidates per direction. */
const maxCandidates = 40
/** Distance in time, in ticks, at which the value of a view is halved. */
const halfLifeTicks = 24

/** Chooses earlier and later views that together show what a patch hides. Prefers near views and those in `used`. */
export function pickSources(
  cells: CellGrid,
  now: FrameView,
  options: { views: readonly FrameView[]; used: UsedViews },
): SourceView[] {
  const place = options.views.findIndex(({ index }) => index >= now.index)
  const split = place < 0 ? options.views.length : place
  const before = options.views.slice(0, split).toReversed()
  const after = options.views.slice(split).filter(({ index }) => index > now.index)
  return [before, after].flatMap((side) => pickOfSide(cells, now, { views: side, used: options.used }))
}

function pickOfSide(
  cells: CellGrid,
  now: FrameView,
  { views, used }: { views: readonly FrameView[]; used: UsedViews },
): SourceView[] {
  const candidates = candidateViews(views, now, used).flatMap((view) => {
    const source = locateSource(view, now, cells)
    const shown = source && visibleHoleCells(source.crop, source.map, cells)
    const distance = Math.abs(view.time - now.time)
    const value = ((used.has(view.index) ? 1.4 : 1) * view.confidence) / (1 + distance / halfLifeTicks)
    return shown ? [{ ...source, shown, value, distance }] : []
  })
  const perSide = cells.width * cells.height > largePixels ? 1 : viewsPerCell
  const need = cells.isHole.map((hole) => hole * perSide)
  const picked: typeof candidates = []
  while (picked.length < maxPerSide) {
    const isSeen = need.every((wanted) => wanted < perSide)
    if (isSeen && picked.length >= perSide) break
    let best: (typeof candidates)[number] | undefined
    let most = 0
    for (const one of candidates) {
      if (picked.includes(one)) continue
      // A view close in time to a chosen one adds little.
      const isApart = picked.every(({ distance }) => Math.abs(distance - one.distance) >= 6)
      let sum = 0
      for (const cell of one.shown) {
        const wanted = need[cell] ?? 0
        if (wanted === perSide) sum += 1
        else if (wanted > 0 && isApart) sum += 0.15
      }
      if (sum * one.value > most) [best, most] = [one, sum * one.value]
    }
    if (!best) break
    picked.push(best)
    for (const cell of best.shown) need[cell] = Math.max(0, (need[cell] ?? 0) - 1)
  }
  return picked
}

/**
 * Returns candidates of one direction, nearest first: the ends of each run of frames with the same patches, and
 * increasingly sparse frames in between.
 */
function candidateViews(views: readonly FrameView[], now: FrameView, used: UsedViews): FrameView[] {
  const all: FrameView[] = []
  let [passed, next] = [0, 1]
  for (let at = 0; at < views.length; at += 1) {
    const [view, before, after] = [views[at], views[at - 1], views[at + 1]]
    if (!view || view.shot !== now.shot) break
    if (before && before.patches !== view.patches) [passed, next] = [0, 1]
    const isEnd = !after || after.patches !== view.patches || after.shot !== now.shot
    if (passed === 0 || passed >= next || isEnd || used.has(view.index)) all.push(view)
    if (passed >= next) next = Math.max(next + 1, next * 1.2)
    passed += 1
  }
  if (all.length <= maxCandidates) return all
  // The nearest quarter, then geometrically increasing steps.
  const near = maxCandidates / 4
  const growth = (all.length / near) ** (1 / (maxCandidates - near))
  const steps = new Set(
    Array.from({ length: maxCandidates }, (_, step) =>
      Math.floor(step < near ? step : near * growth ** (step - near)),
    ),
  )
  return all.filter((view, at) => steps.has(at) || used.has(view.index))
}

/** Locates a patch and its ring in a view. Undefined if the view did not keep that area. */
export function locateSource(
  view: FrameView,
  now: Pick<FrameView, 'toShot'>,
  cells: CellGrid,
): SourceView | undefined {
  const crop = cropFor(view, cells)
  return crop && { view, crop, map: composeMaps(now.toShot, invertMap(view.toShot)) }
}

function cropFor({ crops }: FrameView, cells: CellGrid): FrameCrop | undefined {
  let best: FrameCrop | undefined
  for (const crop of crops) {
    if (isRectInside(cells, crop) && (!best || crop.data.length > best.data.length)) best = crop
  }
  return best
}

/** Returns the hole cells whose four corners are visible in a crop; undefined if there are none. */
function visibleHoleCells(
  { x, y, width, height, hidden }: FrameCrop,
  [a, b, c, d, e, f]: AffineMap,
  cells: CellGrid,
): number[] | undefined {
  const shown: number[] = []
  const { size, columns, isHole } = cells
  const isSeen = (left: number, top: number) => {
    const column = Math.round(a * left + b * top + c - x)
    const line = Math.round(d * left + e * top + f - y)
    return column >= 0 && line >= 0 && column < width && line < height && hidden[line * width + column] === 0
  }
  for (let at = 0; at < isHole.length; at += 1) {
    if (isHole[at] !== 1) continue
    const left = cells.x + (at % columns) * size
    const top = cells.y + Math.floor(at / columns) * size
    const [right, bottom] = [
      Math.min(left + size, cells.x + cells.width) - 1,
      Math.min(top + size, cells.y + cells.height) - 1,
    ]
    if (isSeen(left, top) && isSeen(right, bottom) && isSeen(right, top) && isSeen(left, bottom))
      shown.push(at)
  }
  return shown.length > 0 ? shown : undefined
}
