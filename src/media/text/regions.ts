import type { Rational } from '../../contract/media-facts.ts'
import type { Area, FoundRegion } from '../clean/region.ts'
import { uniteBoxes, boxArea, expandBox, letterSize, translateBox, intersectBoxes } from './box.ts'
import type { FoundText } from './text.ts'
import { boxesAlongLine } from './tilt.ts'
import type { Bounds } from '../geometry.ts'

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
