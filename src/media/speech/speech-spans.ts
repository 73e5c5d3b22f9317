import type { TimeSpan } from './speech-types.ts'

/** When a probability of speech is taken for speech; times in seconds. */
export interface VoiceActivityRule {
  /** Speech begins at this probability and lasts until it falls below `release`. */
  readonly threshold: number
  readonly release: number
  /** Shorter speech is none. */
  readonly minSpeech: number
  /** Shorter silence belongs to the speech around it. */
  readonly minSilence: number
  /** What is added before and after, as far as there is room. */
  readonly padding: number
}

/** As Silero's own tools have it. */
export const defaultVoiceActivityRule: VoiceActivityRule = {
  threshold: 0.5,
  release: 0.35,
  minSpeech: 0.25,
  minSilence: 0.1,
  padding: 0.03,
}

/** Finds spans of speech in probabilities that come one after another, each of a frame of so many seconds. */
export class SpeechSpanDetector {
  readonly #rule: VoiceActivityRule
  readonly #frame: number
  #at = 0
  #begin: number | undefined
  /** Where the speech that goes on fell silent, if it did. */
  #silentFrom: number | undefined
  /** The last one found, unpadded, which padding may join with the next. */
  #last: TimeSpan | undefined

  constructor(frame: number, rule = defaultVoiceActivityRule) {
    this.#frame = frame
    this.#rule = rule
  }

  /** Takes the next probability; answers the span that is known to be whole by it, if one is. */
  add(probability: number): TimeSpan | undefined {
    const { threshold, release, minSilence: leastSilence } = this.#rule
    const at = this.#at * this.#frame
    this.#at += 1
    if (probability >= threshold) {
      this.#begin ??= at
      this.#silentFrom = undefined
      return undefined
    }
    if (this.#begin === undefined) return undefined
    if (probability < release) this.#silentFrom ??= at
    if (this.#silentFrom === undefined || at + this.#frame - this.#silentFrom < leastSilence) return undefined
    return this.#close(this.#silentFrom)
  }

  /** What is left when there are no more. */
  end(): TimeSpan[] {
    const whole = this.#begin === undefined ? undefined : this.#close(this.#silentFrom ?? this.#total)
    const last = this.#last && padSpan(this.#last, this.#rule.padding, this.#total)
    return [...(whole ? [whole] : []), ...(last ? [last] : [])]
  }

  get #total(): number {
    return this.#at * this.#frame
  }

  /** Ends the speech that goes on; answers the one before it, to which nothing can be added then. */
  #close(end: number): TimeSpan | undefined {
    const { minSpeech: leastSpeech, padding } = this.#rule
    const found = { start: this.#begin ?? end, end }
    this.#begin = undefined
    this.#silentFrom = undefined
    if (found.end - found.start < leastSpeech) return undefined
    const before = this.#last
    this.#last = found
    if (!before) return undefined
    if (found.start - before.end > 2 * padding) return padSpan(before, padding, this.#total)
    this.#last = { start: before.start, end: found.end }
    return undefined
  }
}

function padSpan({ start, end }: TimeSpan, padding: number, total: number): TimeSpan {
  return { start: Math.max(0, start - padding), end: Math.min(total, end + padding) }
}

/** A pause that ends a piece, though there were room for more, seconds. */
const maxPauseSeconds = 2

/**
 * Groups spans of speech into pieces for a recogniser, none longer than that takes: long speech is cut where speech is
 * least likely, in the later half of what fits. `probabilities` are of frames of so many seconds.
 */
export function recognitionChunks(
  spans: readonly TimeSpan[],
  {
    longest,
    frame,
    probabilities,
  }: { readonly longest: number; readonly frame: number; readonly probabilities: ArrayLike<number> },
): TimeSpan[] {
  const pieces: TimeSpan[] = []
  for (const span of spans.flatMap(cut)) {
    const last = pieces.at(-1)
    if (last && span.start - last.end < maxPauseSeconds && span.end - last.start <= longest) {
      pieces[pieces.length - 1] = { start: last.start, end: span.end }
    } else pieces.push(span)
  }
  return pieces

  function cut(span: TimeSpan): TimeSpan[] {
    const parts: TimeSpan[] = []
    let { start } = span
    while (span.end - start > longest) {
      const end = quietest(start + longest / 2, start + longest)
      parts.push({ start, end })
      start = end
    }
    return [...parts, { start, end: span.end }]
  }

  function quietest(from: number, to: number): number {
    let best = Math.floor(to / frame)
    for (let at = best; at > from / frame; at -= 1) {
      if ((probabilities[at] ?? 1) < (probabilities[best] ?? 1)) best = at
    }
    return best * frame
  }
}
