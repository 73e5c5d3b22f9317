import type { Rational } from '../../contract/media-facts.ts'
import type { Area, FoundRegion, Region } from '../clean/region.ts'
import type { Bounds } from '../geometry.ts'
import { boxArea, expandBox, intersectBoxes, letterSize, translateBox, uniteBoxes } from './box.ts'
import type { FoundText } from './found-text.ts'
import { boxesAlongLine } from './tilt.ts'

/** How the pixels that text was found in lie in the picture, and the times of frames. */
export interface PixelGrid {
  readonly width: number
  readonly height: number
  /** The area of the whole picture that they show. */
  readonly area: Area
  readonly rate: Rational
}

/** Room around ink, px of the grid: edges of letters are blurred, and what cleans a region leaves all beside it. */
export const strokeMargin = 1.25

/** The way a text may go in one region, times the size of its letters; at least px. */
const maxTravel = 0.5
const minTravelPixels = 4

/** The regions of a text: one while it stands, one for each step of its way while it moves; of a tilted one some along it. */
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

/** Frames in runs in which the text goes no further than a region may show. */
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

/** A box of the grid as shares of the whole picture. */
export function boxToArea(box: Bounds, { width, height, area }: Omit<PixelGrid, 'rate'>): Area {
  const x = clampShare(area.x + (area.w * box.left) / width)
  const y = clampShare(area.y + (area.h * box.top) / height)
  const right = clampShare(area.x + (area.w * box.right) / width)
  const bottom = clampShare(area.y + (area.h * box.bottom) / height)
  return { x, y, w: right - x, h: bottom - y }
}

/** Rounding never leads out of the picture. */
function clampShare(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** Regions of texts, and how many more there were than are held. */
export interface LimitRegionsResult {
  readonly regions: FoundRegion[]
  readonly dropped: number
}

interface LimitRegionsOptions {
  /** The earliest first. */
  readonly regionsOf: (text: FoundText) => FoundRegion[]
  readonly max: number
}

/**
 * The regions of texts, at most so many. First those stay whose regions last longest at a good score, as lines that
 * stand do, then those that need one for each step of their way; the first that does not fit stays as long as it can.
 * No more are held at once than stay and those of one text.
 */
export function limitRegions(
  texts: readonly FoundText[],
  { regionsOf, max: most }: LimitRegionsOptions,
): LimitRegionsResult {
  const ranked = texts
    .map((text) => {
      const count = regionsOf(text).length
      return { text, count, worth: (text.score * (text.last - text.first + 1)) / count }
    })
    .toSorted((one, other) => other.worth - one.worth)
  const stay = new Map<FoundText, number>()
  let [free, left] = [most, 0]
  for (const { text, count } of ranked) {
    const fitting = Math.min(count, free)
    if (fitting > 0) stay.set(text, fitting)
    free -= fitting
    left += count - fitting
  }
  const regions = texts
    .filter((text) => stay.has(text))
    .flatMap((text) => regionsOf(text).slice(0, stay.get(text)))
  return { regions, dropped: left }
}

/** Room around the areas that is looked at too, so that a line that leads out of one is known as a whole. */
const searchMargin = 0.03

/** The area of the picture around all of these, and some room; all of it where there are none. */
export function searchArea(areas: readonly Area[] | undefined): Area {
  if (!areas || areas.length === 0) return { x: 0, y: 0, w: 1, h: 1 }
  const x = Math.max(0, Math.min(...areas.map((area) => area.x)) - searchMargin)
  const y = Math.max(0, Math.min(...areas.map((area) => area.y)) - searchMargin)
  const right = Math.min(1, Math.max(...areas.map((area) => area.x + area.w)) + searchMargin)
  const bottom = Math.min(1, Math.max(...areas.map((area) => area.y + area.h)) + searchMargin)
  return { x, y, w: right - x, h: bottom - y }
}

/** Share of a line that lies in an area, from which it is that area's text. */
const minAreaShare = 0.3

/** What of regions lies in areas over time: cut to them, as nothing beyond them is touched. */
export function clipToAreas(regions: readonly FoundRegion[], within: readonly Region[]): FoundRegion[] {
  return regions.flatMap((region) => {
    const parts = within.flatMap((area) => intersectRegion(region, area))
    // Areas that overlap give parts of parts.
    return parts.filter(
      (part, index) =>
        !parts.some(
          (other, at) => containsRegion(other, part) && (at < index || !containsRegion(part, other)),
        ),
    )
  })
}

/** What of regions lies before a time, s. */
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

/** Sides of parts are sums and differences of shares: far below a pixel they mean the same. */
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
