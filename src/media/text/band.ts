import { alignment, level, slotsOf, upright, type Line, type Size, type Slot } from './slots.ts'

/** What stays longer is no line of speech: s. */
const longestLine = 15

/** A slot beside the main one belongs to the subtitles if it changes as often, as a share; beside it, less often. */
const asOften = 0.5
const besideOften = 0.15

/** Below so many changes time cannot tell: then slots are taken that stand where subtitles usually do. */
const fewChanges = 3

/** Slots are beside each other within so many line heights. */
const beside = 2.2

/**
 * The texts that are subtitles: lines that change while their place stays, wherever that is. A mark that stays, text
 * in the scene and text that moves are none. In a video too short for several changes, those that stand with a centred
 * line below the middle are, and centred ones that change.
 */
export function subtitlesOf<T extends Line>(texts: readonly T[], size: Size, fps: number): T[] {
  const lines = texts.filter(
    (text) => !text.moving && !text.tilt && text.last - text.first + 1 <= longestLine * fps,
  )
  return [level, upright].flatMap((axis) => {
    const mine = lines.filter((text) => axis.holds(axis.boxOf(text)))
    const slots = slotsOf(mine, axis, { size, fps })
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
