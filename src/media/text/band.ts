import {
  maxMisalignment,
  horizontalAxis,
  groupIntoSlots,
  verticalAxis,
  type SubtitleCandidate,
  type TextSlot,
} from './slots.ts'
import type { Size } from '../geometry.ts'

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
