import type { Rational } from '../../contract/media-facts.ts'
import type { Area, FoundRegion, Region } from '../clean/region.ts'
import type { Bounds } from '../geometry.ts'
import { boxArea, expandBox, intersectBoxes, letterSize, translateBox, uniteBoxes } from './box.ts'
import type { FoundText } from './found-text.ts'
import { boxesAlongLine } from './tilt.ts'

/** Pixel grid in which text was detected: its area of the picture, and the frame rate. */
export interface PixelGrid {
  readonly width: number
  readonly height: number
  /** Area of the whole picture that the grid covers. */
  readonly area: Area
  readonly rate: Rational
}

/** Padding around strokes in grid px, because letter edges are blurred and cleaning changes nothing outside a region. */
export const strokeMargin = 1.25

/** Longest travel of a text within one region, in letter sizes, and at least in px. */
const maxTravel = 0.5
const minTravelPixels = 4

/** Returns the regions of a text: one if it is still, one per step if it moves, several along a tilted line. */
export function textRegions(text: FoundText, grid: PixelGrid): FoundRegion[] {
  return splitByTravel(text).flatMap(({ first, last }) => {
    const whole = { left: 0, top: 0, right: grid.width, bottom: grid.height }
    const time = (frame: number) => (frame * grid.rate.den) / grid.rate.num
    const [from, to] = [text.boxAt(first), text.boxAt(last)]
    return boxesAlongLine({ ...from, tilt: text.tilt }).flatMap((start) => {
      const end = translateBox(start, to.left - from.left, to.top - from.top)
      const box = intersectBoxes(expandBox(uniteBoxes(start, end), strokeMargin), whole)
      if (box.left >= box.right || box.top >= box.bottom || boxArea(box) === 0) return []
      return [{ ...boxToArea(box, grid), start: time(first), end: time(last + 1), score: text.score }]
    })
  })
}

/** Splits a text's frames into runs with limited travel. */
function splitByTravel({ first, last, moving, tilt, boxAt }: FoundText): { first: number; last: number }[] {
  if (!moving) return [{ first, last }]
  const longest = Math.max(minTravelPixels, maxTravel * letterSize({ ...boxAt(first), tilt }))
  const steps: { first: number; last: number }[] = []
  let begun = first
  for (let frame = first + 1; frame <= last + 1; frame += 1) {
    if (frame <= last && travel(boxAt(begun), boxAt(frame)) <= longest) continue
    steps.push({ first: begun, last: frame - 1 })
    begun = frame
  }
  return steps
}

function travel(one: Bounds, other: Bounds): number {
  return Math.max(Math.abs(one.left - other.left), Math.abs(one.top - other.top))
}

/** Converts a box of the grid to shares of the whole picture, 0 to 1. */
export function boxToArea(box: Bounds, { width, height, area }: Omit<PixelGrid, 'rate'>): Area {
  const x = clampShare(area.x + (area.w * box.left) / width)
  const y = clampShare(area.y + (area.h * box.top) / height)
  const right = clampShare(area.x + (area.w * box.right) / width)
  const bottom = clampShare(area.y + (area.h * box.bottom) / height)
  return { x, y, w: right - x, h: bottom - y }
}

/** Limits rounding errors to the picture. */
function clampShare(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** Result of `limitRegions`: the regions kept and the number of dropped ones. */
export interface LimitRegionsResult {
  readonly regions: FoundRegion[]
  readonly dropped: number
}

interface LimitRegionsOptions {
  /** Regions of a text, earliest first. */
  readonly regionsOf: (text: FoundText) => FoundRegion[]
  readonly max: number
}

/**
 * Returns at most `max` regions of texts. Prefers texts with the highest score times duration per region, such as still
 * lines; the first text that does not fit keeps its earliest regions.
 */
export function limitRegions(
  texts: readonly FoundText[],
  { regionsOf, max }: LimitRegionsOptions,
): LimitRegionsResult {
  const ranked = texts
    .map((text) => {
      const count = regionsOf(text).length
      return { text, count, priority: (text.score * (text.last - text.first + 1)) / count }
    })
    .toSorted((one, other) => other.priority - one.priority)
  const keptCounts = new Map<FoundText, number>()
  let [free, dropped] = [max, 0]
  for (const { text, count } of ranked) {
    const fitting = Math.min(count, free)
    if (fitting > 0) keptCounts.set(text, fitting)
    free -= fitting
    dropped += count - fitting
  }
  const regions = texts
    .filter((text) => keptCounts.has(text))
    .flatMap((text) => regionsOf(text).slice(0, keptCounts.get(text)))
  return { regions, dropped }
}

/** Margin searched around the areas, so that lines crossing their border are detected whole. */
const searchMargin = 0.03

/** Returns the area that contains all areas and a margin; the whole picture if there are none. */
export function searchArea(areas: readonly Area[] | undefined): Area {
  if (!areas || areas.length === 0) return { x: 0, y: 0, w: 1, h: 1 }
  const x = Math.max(0, Math.min(...areas.map((area) => area.x)) - searchMargin)
  const y = Math.max(0, Math.min(...areas.map((area) => area.y)) - searchMargin)
  const right = Math.min(1, Math.max(...areas.map((area) => area.x + area.w)) + searchMargin)
  const bottom = Math.min(1, Math.max(...areas.map((area) => area.y + area.h)) + searchMargin)
  return { x, y, w: right - x, h: bottom - y }
}

/** Least share of a line inside an area for it to belong to the area. */
const minAreaShare = 0.3

/** Clips regions to areas in space and time. */
export function clipToAreas(regions: readonly FoundRegion[], within: readonly Region[]): FoundRegion[] {
  return regions.flatMap((region) => {
    const parts = within.flatMap((area) => intersectRegion(region, area))
    // Overlapping areas yield parts that contain each other.
    return parts.filter(
      (part, index) =>
        !parts.some(
          (other, at) => containsRegion(other, part) && (at < index || !containsRegion(part, other)),
        ),
    )
  })
}

/** Clips regions to the time before `until`, in s. */
export function clipToTime(regions: readonly FoundRegion[], until: number): FoundRegion[] {
  return regions
    .filter(({ start }) => start < until)
    .map((region) => ({ ...region, end: Math.min(region.end, until) }))
}

function intersectRegion(region: FoundRegion, area: Region): FoundRegion[] {
  if (containsRegion(area, region)) return [region]
  const x = Math.max(region.x, area.x)
  const y = Math.max(region.y, area.y)
  const w = Math.min(region.x + region.w, area.x + area.w) - x
  const h = Math.min(region.y + region.h, area.y + area.h) - y
  const start = Math.max(region.start, area.start)
  const end = Math.min(region.end, area.end)
  const enough = w > 0 && h > 0 && w * h >= minAreaShare * region.w * region.h
  return enough && start < end ? [{ x, y, w, h, start, end, score: region.score }] : []
}

/** Tolerance for sums and differences of shares, far below a pixel. */
const roundingError = 1e-12

function containsRegion(one: Region, other: Region): boolean {
  return (
    one.x <= other.x + roundingError &&
    one.y <= other.y + roundingError &&
    one.x + one.w >= other.x + other.w - roundingError &&
    one.y + one.h >= other.y + other.h - roundingError &&
    one.start <= other.start &&
    one.end >= other.end
  )
}
