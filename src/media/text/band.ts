import { heightOf, widthOf, type Box } from './box.ts'
import { medianOf } from './onset.ts'
import type { FoundText } from './text.ts'

/** A picture's size, px. */
interface Size {
  readonly width: number
  readonly height: number
}

/** Lines of one slot: their middles differ by no more of their height, their heights by no more times. */
const slotShift = 0.6
const slotHeights = 1.6

/** Lines of a slot share their middle or a margin, to a share of the picture. */
const alignment = 0.06

/** What stays longer is no line of speech: s. */
const longestLine = 15

/** A slot beside the main one belongs to the subtitles if it changes as often, as a share; beside it, less often. */
const asOften = 0.5
const besideOften = 0.15

/** Below so many changes time cannot tell: then slots are taken that stand where subtitles usually do. */
const fewChanges = 3

/** Slots are beside each other within so many line heights. */
const beside = 2.2

/** What of a text tells whether it is a subtitle. */
type Line = Pick<FoundText, 'first' | 'last' | 'moving' | 'boxAt'>

/** A place where lines follow one another. */
interface Slot<T> {
  readonly lines: readonly T[]
  /** Lines that came one after another. */
  readonly changes: number
  readonly from: number
  readonly to: number
}

/**
 * The texts that are subtitles: lines that change while their place stays, wherever that is. A mark that stays, text
 * in the scene and text that moves are none. In a video too short for several changes, those that stand with a centred
 * line below the middle are, and centred ones that change.
 */
export function subtitlesOf<T extends Line>(texts: readonly T[], size: Size, fps: number): T[] {
  const lines = texts.filter((text) => !text.moving && text.last - text.first + 1 <= longestLine * fps)
  return [level, upright].flatMap((axis) => {
    const mine = lines.filter((text) => axis.holds(axis.boxOf(text)))
    const slots = slotsOf(mine, axis, size)
    const main = slots.toSorted((one, other) => other.changes - one.changes)[0]
    if (!main) return []
    const usual = axis === level ? slots.filter((slot) => isUsual(slot, size)) : []
    if (main.changes < 2 || (main.changes < fewChanges && usual.some((slot) => isLow(slot, size))))
      return usual.flatMap((slot) => slot.lines)
    const taken = slots.filter(
      (slot) =>
        slot.changes >= asOften * main.changes ||
        (isBeside(slot, main) && slot.changes >= besideOften * main.changes),
    )
    return [...new Set(taken.flatMap((slot) => slot.lines))]
  })
}

/** In which way lines run, as if they ran level. */
interface Axis {
  readonly boxOf: (text: Line) => Box
  readonly holds: (box: Box) => boolean
  readonly length: (size: Size) => number
}

const level: Axis = {
  boxOf: (text) => text.boxAt(text.first),
  holds: (box) => widthOf(box) >= heightOf(box) / 1.5,
  length: ({ width }) => width,
}

const upright: Axis = {
  boxOf(text) {
    const { left, top, right, bottom } = text.boxAt(text.first)
    return { left: top, top: left, right: bottom, bottom: right }
  },
  holds: (box) => widthOf(box) > 1.5 * heightOf(box),
  length: ({ height }) => height,
}

function slotsOf<T extends Line>(texts: readonly T[], axis: Axis, size: Size): Slot<T>[] {
  const groups: T[][] = []
  for (const text of texts) {
    const fitting = groups.filter((group) =>
      group.some((other) => shareSlot(axis.boxOf(text), axis.boxOf(other), axis.length(size))),
    )
    const [first, ...others] = fitting
    if (!first) groups.push([text])
    else {
      first.push(text, ...others.flat())
      for (const other of others) groups.splice(groups.indexOf(other), 1)
    }
  }
  return groups.map((lines) => ({
    lines,
    changes: changesIn(lines),
    from: medianOf(lines.map((text) => axis.boxOf(text).top)),
    to: medianOf(lines.map((text) => axis.boxOf(text).bottom)),
  }))
}

function shareSlot(one: Box, other: Box, length: number): boolean {
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

/** Frames by which lines that follow one another may seem to be there at once. */
const endSlack = 2

/** How many of the lines came after the one before had gone. */
function changesIn(lines: readonly Line[]): number {
  let [changes, end] = [0, -Infinity]
  for (const { first, last } of lines.toSorted((one, other) => one.last - other.last)) {
    if (first <= end - endSlack) continue
    changes += 1
    end = last
  }
  return changes
}

function isBeside(slot: Slot<unknown>, main: Slot<unknown>): boolean {
  const height = main.to - main.from
  return slot.from < main.to + beside * height && slot.to > main.from - beside * height
}

/** Whether a slot is where subtitles usually are: one of its lines is below the middle, or they change; and is centred. */
function isUsual(slot: Slot<Line>, size: Size): boolean {
  return isLow(slot, size) || (slot.changes > 1 && slot.lines.some((text) => isCentred(text, size)))
}

function isLow({ lines }: Slot<Line>, size: Size): boolean {
  return lines.some((text) => isCentred(text, size) && text.boxAt(text.first).top > size.height / 2)
}

function isCentred(text: Line, { width }: Size): boolean {
  const { left, right } = text.boxAt(text.first)
  return Math.abs((left + right) / 2 - width / 2) < alignment * width
}
