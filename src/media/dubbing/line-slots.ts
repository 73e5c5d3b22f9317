/** A line of speech and its span of the source, whole milliseconds. */
export interface SpokenSpan {
  readonly start: number
  readonly end: number
  /** Duration of its speech at speed 1. */
  readonly synth: number
}

export interface ShareTimeOptions {
  /** Least and greatest speed, 0 < least <= greatest. */
  readonly band: readonly [number, number]
  /** Duration of the source, ms. */
  readonly duration: number
}

/** The time of a line on the source, whole milliseconds. `slotLength` is what its speech may use. */
export interface LineSlot {
  /** Span of the source without what earlier lines use. Spans are disjoint. */
  readonly start: number
  readonly end: number
  readonly synth: number
  /** Duration of its speech at the global speed. */
  readonly natural: number
  /** Time taken from the gaps beside the span. */
  borrowedBefore: number
  borrowedAfter: number
  /** Time received from the end of the line before, and from the start of the line after. */
  yieldedBefore: number
  yieldedAfter: number
  /** Time passed to the line before, which delays this line, and to the line after. */
  passedBefore: number
  passedAfter: number
}

/** Result of sharing time between lines. */
export interface SharedTime {
  /** The global speed. */
  readonly ratio: number
  readonly slots: readonly LineSlot[]
}

/** How much earlier and later than its source a line may start, ms. */
export const startLimits = { early: 200, late: 500 }

/** Pause that borrowing and yielding leave between lines, ms. A shorter pause of the source stays. */
export const minPause = 80

/**
 * Gives every line time for its speech at the global speed, first from gaps, then from the surplus of neighbours. `lines`
 * are in the order of the source. A line that overlaps the one before follows it. Takes linear time.
 */
export function shareTime(lines: readonly SpokenSpan[], { band, duration }: ShareTimeOptions): SharedTime {
  const spans = disjointSpans(lines, duration)
  const ratio = globalSpeed(spans, band)
  const slots = spans.map((span): LineSlot => ({
    ...{ ...span, natural: Math.round(span.synth / ratio) },
    ...{ borrowedBefore: 0, borrowedAfter: 0, yieldedBefore: 0, yieldedAfter: 0 },
    ...{ passedBefore: 0, passedAfter: 0 },
  }))
  const gaps = freeGaps(slots, duration)
  borrow(slots, gaps)
  preferLaterGaps(slots, gaps)
  takeSurplus(slots)
  return { ratio, slots }
}

/** Time that the speech of a line may use, ms. */
export function slotLength(slot: LineSlot): number {
  return slotEnd(slot) - slotStart(slot)
}

/** Start of the time of a line, ms of the source. */
export function slotStart(slot: LineSlot): number {
  return slot.start - slot.borrowedBefore - slot.yieldedBefore + slot.passedBefore
}

function slotEnd(slot: LineSlot): number {
  return slot.end + slot.borrowedAfter + slot.yieldedAfter - slot.passedAfter
}

/** Spans within the source, each from the end of the one before at the earliest. */
function disjointSpans(lines: readonly SpokenSpan[], duration: number): SpokenSpan[] {
  let free = 0
  return lines.map((line) => {
    const start = Math.min(Math.max(line.start, free), duration)
    free = Math.max(start, Math.min(line.end, duration))
    return { start, end: free, synth: line.synth }
  })
}

/** Steps of a speed of 1. A duration below 8 min changes by less than half a millisecond. */
const speedSteps = 1_000_000

/** Speed at which all speech lasts as long as all spans, within the band. */
function globalSpeed(spans: readonly SpokenSpan[], [least, greatest]: readonly [number, number]): number {
  const speech = spans.reduce((sum, { synth }) => sum + synth, 0)
  const budget = spans.reduce((sum, { start, end }) => sum + end - start, 0)
  const speed = speech === 0 && budget === 0 ? 1 : speech / budget
  return Math.min(greatest, Math.max(least, Math.round(speed * speedSteps) / speedSteps))
}

/** Smallest recorded speed at which speech is at most `length` long. `length` > 0. */
export function speedFor(synth: number, length: number): number {
  return Math.ceil((synth / length) * speedSteps) / speedSteps
}

/** Time that may be borrowed before each line and, as the last item, after all of them. */
function freeGaps(slots: readonly LineSlot[], duration: number): number[] {
  const inner = slots.map(({ start }, index) => {
    const before = slots[index - 1]
    return before ? Math.max(0, start - before.end - minPause) : start
  })
  return [...inner, Math.max(0, duration - (slots.at(-1)?.end ?? 0))]
}

/** Time that a line still needs, ms. */
function missing(slot: LineSlot): number {
  return Math.max(0, slot.natural - slotLength(slot))
}

/**
 * Lines that are too long take time from the gap before, which no later line can use, then from the gap after. In this order
 * the sum of what lines still need is the least possible.
 */
function borrow(slots: readonly LineSlot[], gaps: number[]): void {
  for (const [index, slot] of slots.entries()) {
    slot.borrowedBefore = Math.min(missing(slot), startLimits.early, gaps[index] ?? 0)
    gaps[index] = (gaps[index] ?? 0) - slot.borrowedBefore
    slot.borrowedAfter = Math.min(missing(slot), gaps[index + 1] ?? 0)
    gaps[index + 1] = (gaps[index + 1] ?? 0) - slot.borrowedAfter
  }
}

/** Lines start on time where the gap after them has time left. Backwards, as this frees time after the line before. */
function preferLaterGaps(slots: readonly LineSlot[], gaps: number[]): void {
  for (let index = slots.length - 1; index >= 0; index -= 1) {
    const slot = slots[index]
    if (!slot) continue
    const moved = Math.min(slot.borrowedBefore, gaps[index + 1] ?? 0)
    slot.borrowedBefore -= moved
    slot.borrowedAfter += moved
    gaps[index] = (gaps[index] ?? 0) + moved
    gaps[index + 1] = (gaps[index + 1] ?? 0) - moved
  }
}

/**
 * Lines that are still too long take surplus of the line before, then of the line after. A line that needs more has borrowed
 * all of the gap between, and a line with surplus nothing, so that the pause between them moves but stays.
 */
function takeSurplus(slots: readonly LineSlot[]): void {
  const surplus = (slot: LineSlot | undefined) => (slot ? Math.max(0, slotLength(slot) - slot.natural) : 0)
  for (const [index, slot] of slots.entries()) {
    const [before, after] = [slots[index - 1], slots[index + 1]]
    const early = startLimits.early - slot.borrowedBefore
    slot.yieldedBefore = Math.min(missing(slot), surplus(before), early)
    if (before) before.passedAfter = slot.yieldedBefore
    slot.yieldedAfter = Math.min(missing(slot), surplus(after), startLimits.late)
    if (after) after.passedBefore = slot.yieldedAfter
  }
}
