import { heightOf, widthOf, type Bounds } from './box.ts'
import { medianOf } from './onset.ts'
import type { FoundText } from './text.ts'

/** A picture's size, px. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Lines of one slot: their middles differ by no more of their height, their heights by no more times. */
const slotShift = 0.6
const slotHeights = 1.6

/** Lines of a slot share their middle or a margin, to a share of the picture. */
export const alignment = 0.06

/** What of a text tells whether it is a subtitle. */
export type Line = Pick<FoundText, 'first' | 'last' | 'moving' | 'boxAt' | 'tilt'>

/** A place where lines follow one another. */
export interface Slot<T> {
  readonly lines: readonly T[]
  /** Lines that came one after another. */
  readonly changes: number
  readonly from: number
  readonly to: number
}

/** In which way lines run, as if they ran level. */
export interface Axis {
  readonly boxOf: (text: Line) => Bounds
  readonly holds: (box: Bounds) => boolean
  readonly length: (size: Size) => number
}

/** Lines that run level. */
export const level: Axis = {
  boxOf: (text) => text.boxAt(text.first),
  holds: (box) => widthOf(box) >= heightOf(box) / 1.5,
  length: ({ width }) => width,
}

/** Lines that run from above to below. */
export const upright: Axis = {
  boxOf(text) {
    const { left, top, right, bottom } = text.boxAt(text.first)
    return { left: top, top: left, right: bottom, bottom: right }
  },
  holds: (box) => widthOf(box) > 1.5 * heightOf(box),
  length: ({ height }) => height,
}

/** Lines by the places they share, in a video of a size and rate. */
export function slotsOf<T extends Line>(
  texts: readonly T[],
  axis: Axis,
  { size, fps }: { readonly size: Size; readonly fps: number },
): Slot<T>[] {
  const groups: Group<T>[] = []
  for (const text of texts) {
    const box = axis.boxOf(text)
    const one = {
      lines: [text],
      boxes: [box],
      from: middleOf(box),
      to: middleOf(box),
      tallest: heightOf(box),
    }
    const fitting = groups.filter(
      (group) =>
        mayShare(group, one) && group.boxes.some((other) => shareSlot(box, other, axis.length(size))),
    )
    const [first, ...others] = fitting
    if (!first) groups.push(one)
    else for (const group of [one, ...others]) join(first, group)
    for (const other of others) groups.splice(groups.indexOf(other), 1)
  }
  return groups.map(({ lines, boxes }) => ({
    lines,
    changes: changesIn(lines, fps),
    from: medianOf(boxes.map(({ top }) => top)),
    to: medianOf(boxes.map(({ bottom }) => bottom)),
  }))
}

/** Lines of a slot, and what their middles lie between: of thousands, most are told apart by that. */
interface Group<T> {
  readonly lines: T[]
  readonly boxes: Bounds[]
  from: number
  to: number
  tallest: number
}

function mayShare(one: Group<unknown>, other: Group<unknown>): boolean {
  const shift = slotShift * Math.max(one.tallest, other.tallest)
  return one.from - shift <= other.to && other.from - shift <= one.to
}

function join<T>(group: Group<T>, more: Group<T>): void {
  for (const line of more.lines) group.lines.push(line)
  for (const box of more.boxes) group.boxes.push(box)
  group.from = Math.min(group.from, more.from)
  group.to = Math.max(group.to, more.to)
  group.tallest = Math.max(group.tallest, more.tallest)
}

function middleOf({ top, bottom }: Bounds): number {
  return (top + bottom) / 2
}

function shareSlot(one: Bounds, other: Bounds, length: number): boolean {
  const [low = 0, high = 0] = [heightOf(one), heightOf(other)].toSorted((a, b) => a - b)
  const shift = Math.abs(one.top + one.bottom - other.top - other.bottom) / 2
  if (high > slotHeights * low || shift > slotShift * high) return false
  const apart = Math.min(
    Math.abs(one.left + one.right - other.left - other.right) / 2,
    Math.abs(one.left - other.left),
    Math.abs(one.right - other.right),
  )
  return apart <= alignment * length
}

/** Frames by which lines that follow one another may seem to be there at once, and for which what is gone is found again. */
const endSlack = 2

/** What stays longer is not only found again: s. Few frames are long where they are slow. */
const longestAgain = 0.1

/** How many of the lines came after the one before had gone, and stayed. */
function changesIn(lines: readonly Line[], fps: number): number {
  const again = Math.min(endSlack, longestAgain * fps)
  let [changes, end] = [0, -Infinity]
  for (const { first, last } of lines.toSorted((one, other) => one.last - other.last)) {
    const shown = last - Math.max(first, end + 1) + 1
    if (first <= end - endSlack || shown <= again) continue
    changes += 1
    end = last
  }
  return changes
}
