import type { Area, FoundRegion, Region } from '../clean/region.ts'

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
