import type { Bounds, Size } from '../geometry.ts'
import { boxHeight, boxWidth } from './box.ts'
import type { FoundText } from './found-text.ts'
import { lowerMedian } from './onset.ts'

/** Longest duration of a subtitle, s. */
const maxLineSeconds = 15

/** Least changes of a slot with subtitles, as a share of the main slot's changes: anywhere, and next to the main slot. */
const minChangeShare = 0.5
const minNeighbourChangeShare = 0.15

/** Below this many changes of the main slot, typical positions decide instead. */
const minChanges = 3

/** Largest distance of neighbouring slots, in line heights. */
const neighbourDistance = 2.2

/**
 * Selects the subtitles among texts: lines that replace each other at one position. Excludes watermarks, text in the
 * scene and moving text. In a video with too few changes, selects slots with a centred line below the middle, and
 * centred slots that change.
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
    const aligned = lines.filter((text) => axis.accepts(axis.levelBox(text)))
    const slots = groupIntoSlots(aligned, axis, { size, fps })
    const main = slots.toSorted((one, other) => other.changes - one.changes)[0]
    if (!main) return []
    const typical = axis === horizontalAxis ? slots.filter((slot) => isTypicalSlot(slot, size)) : []
    if (main.changes < 2 || (main.changes < minChanges && typical.some((slot) => isBelowMiddle(slot, size))))
      return typical.flatMap((slot) => slot.lines)
    const selected = slots.filter(
      (slot) =>
        slot.changes >= minChangeShare * main.changes ||
        (isNeighbour(slot, main) && slot.changes >= minNeighbourChangeShare * main.changes),
    )
    return [...new Set(selected.flatMap((slot) => slot.lines))]
  })
}

function isNeighbour(slot: TextSlot<unknown>, main: TextSlot<unknown>): boolean {
  const height = main.bottom - main.top
  return (
    slot.top < main.bottom + neighbourDistance * height && slot.bottom > main.top - neighbourDistance * height
  )
}

/** Whether a slot is at a typical position: it has a centred line that is below the middle, or a centred line and changes. */
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

/** Lines of one slot: largest distance of their centres in line heights, and largest ratio of their heights. */
const maxSlotShift = 0.6
const maxHeightRatio = 1.6

/** Lines of a slot share their centre, start or end, within this share of the picture's side. */
const maxMisalignment = 0.06

/** Properties of a text that decide whether it is a subtitle. */
type SubtitleCandidate = Pick<FoundText, 'first' | 'last' | 'moving' | 'boxAt' | 'tilt'>

/** A position at which lines replace each other. */
interface TextSlot<T> {
  readonly lines: readonly T[]
  /** Number of lines shown one after another. */
  readonly changes: number
  readonly top: number
  readonly bottom: number
}

/** Reading direction of lines. */
interface ReadingAxis {
  /** Box of a text, with its axes swapped if lines are vertical. */
  readonly levelBox: (text: SubtitleCandidate) => Bounds
  /** Whether a box from `levelBox` may be a line of this direction. */
  readonly accepts: (box: Bounds) => boolean
  /** Side of the picture along the lines. */
  readonly length: (size: Size) => number
}

/** Horizontal lines. */
const horizontalAxis: ReadingAxis = {
  levelBox: (text) => text.boxAt(text.first),
  accepts: (box) => boxWidth(box) >= boxHeight(box) / 1.5,
  length: ({ width }) => width,
}

/** Vertical lines. */
const verticalAxis: ReadingAxis = {
  levelBox(text) {
    const { left, top, right, bottom } = text.boxAt(text.first)
    return { left: top, top: left, right: bottom, bottom: right }
  },
  accepts: (box) => boxWidth(box) > 1.5 * boxHeight(box),
  length: ({ height }) => height,
}

/** Groups lines by position. */
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

/** Lines of a slot with the range of their centres, which excludes most of thousands of candidates quickly. */
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

/** Largest overlap of consecutive lines, in frames; also the longest repeated detection of a line that is gone. */
const maxOverlapFrames = 2

/** Longest repeated detection in s, for low frame rates. */
const maxRepeatSeconds = 0.1

/** Counts the lines that begin after the previous one ended and last longer than a repeated detection. */
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
