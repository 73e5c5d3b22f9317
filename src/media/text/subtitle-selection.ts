import type { Bounds, Size } from '../geometry.ts'
import { boxHeight, boxWidth } from './box.ts'
import type { FoundText } from './found-text.ts'
import { lowerMedian } from './onset.ts'

/** What stays longer is no line of speech: s. */
const maxLineSeconds = 15

/** A slot beside the main one belongs to the subtitles if it changes as often, as a share; beside it, less often. */
const minChangeShare = 0.5
const minNeighbourChangeShare = 0.15

/** Below so many changes time cannot tell: then slots are taken that stand where subtitles usually do. */
const minChanges = 3

/** Slots are beside each other within so many line heights. */
const neighbourDistance = 2.2

/**
 * The texts that are subtitles: lines that change while their place stays, wherever that is. A mark that stays, text
 * in the scene and text that moves are none. In a video too short for several changes, those that stand with a centred
 * line below the middle are, and centred ones that change.
 */
export function selectSubtitles<T extends SubtitleCandidate>(
  texts: readonly T[],
  size: Size,
  fps: number,
): T[] {
  const lines = texts.filter(
    (text) => !text.moving && !text.tilt && text.last - text.first + 1 <= maxLineSeconds * fps,
  )
  return [horizontalAxis, verticalAxis].flatMap((axis) => {
    const mine = lines.filter((text) => axis.accepts(axis.levelBox(text)))
    const slots = groupIntoSlots(mine, axis, { size, fps })
    const main = slots.toSorted((one, other) => other.changes - one.changes)[0]
    if (!main) return []
    const usual = axis === horizontalAxis ? slots.filter((slot) => isTypicalSlot(slot, size)) : []
    if (main.changes < 2 || (main.changes < minChanges && usual.some((slot) => isBelowMiddle(slot, size))))
      return usual.flatMap((slot) => slot.lines)
    const taken = slots.filter(
      (slot) =>
        slot.changes >= minChangeShare * main.changes ||
        (isNeighbour(slot, main) && slot.changes >= minNeighbourChangeShare * main.changes),
    )
    return [...new Set(taken.flatMap((slot) => slot.lines))]
  })
}

function isNeighbour(slot: TextSlot<unknown>, main: TextSlot<unknown>): boolean {
  const height = main.bottom - main.top
  return (
    slot.top < main.bottom + neighbourDistance * height && slot.bottom > main.top - neighbourDistance * height
  )
}

/** Whether a slot is where subtitles usually are: one of its lines is below the middle, or they change; and is centred. */
function isTypicalSlot(slot: TextSlot<SubtitleCandidate>, size: Size): boolean {
  return (
    isBelowMiddle(slot, size) || (slot.changes > 1 && slot.lines.some((text) => isCentredLine(text, size)))
  )
}

function isBelowMiddle({ lines }: TextSlot<SubtitleCandidate>, size: Size): boolean {
  return lines.some((text) => isCentredLine(text, size) && text.boxAt(text.first).top > size.height / 2)
}

function isCentredLine(text: SubtitleCandidate, { width }: Size): boolean {
  const { left, right } = text.boxAt(text.first)
  return Math.abs((left + right) / 2 - width / 2) < maxMisalignment * width
}

/** Lines of one slot: their middles differ by no more of their height, their heights by no more times. */
const maxSlotShift = 0.6
const maxHeightRatio = 1.6

/** Lines of a slot share their middle or a margin, to a share of the picture. */
const maxMisalignment = 0.06

/** What of a text tells whether it is a subtitle. */
type SubtitleCandidate = Pick<FoundText, 'first' | 'last' | 'moving' | 'boxAt' | 'tilt'>

/** A place where lines follow one another. */
interface TextSlot<T> {
  readonly lines: readonly T[]
  /** Lines that came one after another. */
  readonly changes: number
  readonly top: number
  readonly bottom: number
}

/** In which way lines run, as if they ran level. */
interface ReadingAxis {
  readonly levelBox: (text: SubtitleCandidate) => Bounds
  readonly accepts: (box: Bounds) => boolean
  readonly length: (size: Size) => number
}

/** Lines that run level. */
const horizontalAxis: ReadingAxis = {
  levelBox: (text) => text.boxAt(text.first),
  accepts: (box) => boxWidth(box) >= boxHeight(box) / 1.5,
  length: ({ width }) => width,
}

/** Lines that run from above to below. */
const verticalAxis: ReadingAxis = {
  levelBox(text) {
    const { left, top, right, bottom } = text.boxAt(text.first)
    return { left: top, top: left, right: bottom, bottom: right }
  },
  accepts: (box) => boxWidth(box) > 1.5 * boxHeight(box),
  length: ({ height }) => height,
}

/** Lines by the places they share, in a video of a size and rate. */
function groupIntoSlots<T extends SubtitleCandidate>(
  texts: readonly T[],
  axis: ReadingAxis,
  { size, fps }: { readonly size: Size; readonly fps: number },
): TextSlot<T>[] {
  const groups: SlotGroup<T>[] = []
  for (const text of texts) {
    const box = axis.levelBox(text)
    const one = {
      lines: [text],
      boxes: [box],
      from: middleY(box),
      to: middleY(box),
      tallest: boxHeight(box),
    }
    const fitting = groups.filter(
      (group) =>
        mayOverlap(group, one) && group.boxes.some((other) => shareSlot(box, other, axis.length(size))),
    )
    const [first, ...others] = fitting
    if (!first) groups.push(one)
    else for (const group of [one, ...others]) mergeGroups(first, group)
    for (const other of others) groups.splice(groups.indexOf(other), 1)
  }
  return groups.map(({ lines, boxes }) => ({
    lines,
    changes: countChanges(lines, fps),
    top: lowerMedian(boxes.map(({ top }) => top)),
    bottom: lowerMedian(boxes.map(({ bottom }) => bottom)),
  }))
}

/** Lines of a slot, and what their middles lie between: of thousands, most are told apart by that. */
interface SlotGroup<T> {
  readonly lines: T[]
  readonly boxes: Bounds[]
  from: number
  to: number
  tallest: number
}

function mayOverlap(one: SlotGroup<unknown>, other: SlotGroup<unknown>): boolean {
  const shift = maxSlotShift * Math.max(one.tallest, other.tallest)
  return one.from - shift <= other.to && other.from - shift <= one.to
}

function mergeGroups<T>(group: SlotGroup<T>, more: SlotGroup<T>): void {
  for (const line of more.lines) group.lines.push(line)
  for (const box of more.boxes) group.boxes.push(box)
  group.from = Math.min(group.from, more.from)
  group.to = Math.max(group.to, more.to)
  group.tallest = Math.max(group.tallest, more.tallest)
}

function middleY({ top, bottom }: Bounds): number {
  return (top + bottom) / 2
}

function shareSlot(one: Bounds, other: Bounds, length: number): boolean {
  const [low = 0, high = 0] = [boxHeight(one), boxHeight(other)].toSorted((a, b) => a - b)
  const shift = Math.abs(one.top + one.bottom - other.top - other.bottom) / 2
  if (high > maxHeightRatio * low || shift > maxSlotShift * high) return false
  const apart = Math.min(
    Math.abs(one.left + one.right - other.left - other.right) / 2,
    Math.abs(one.left - other.left),
    Math.abs(one.right - other.right),
  )
  return apart <= maxMisalignment * length
}

/** Frames by which lines that follow one another may seem to be there at once, and for which what is gone is found again. */
const maxOverlapFrames = 2

/** What stays longer is not only found again: s. Few frames are long where they are slow. */
const maxRepeatSeconds = 0.1

/** How many of the lines came after the one before had gone, and stayed. */
function countChanges(lines: readonly SubtitleCandidate[], fps: number): number {
  const again = Math.min(maxOverlapFrames, maxRepeatSeconds * fps)
  let [changes, end] = [0, -Infinity]
  for (const { first, last } of lines.toSorted((one, other) => one.last - other.last)) {
    const shown = last - Math.max(first, end + 1) + 1
    if (first <= end - maxOverlapFrames || shown <= again) continue
    changes += 1
    end = last
  }
  return changes
}
