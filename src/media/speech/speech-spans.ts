import type { TimeSpan } from './speech-types.ts'

/** Thresholds of voice activity detection; times in seconds. */
export interface VoiceActivityRule {
  /** Speech starts at this probability and ends when it falls below `release`. */
  readonly threshold: number
  readonly release: number
  /** Shorter speech is dropped. */
  readonly minSpeech: number
  /** Shorter silence does not end speech. */
  readonly minSilence: number
  /** Added before and after, within the recording. */
  readonly padding: number
}

/** Defaults of Silero VAD. */
export const defaultVoiceActivityRule: VoiceActivityRule = {
  threshold: 0.5,
  release: 0.35,
  minSpeech: 0.25,
  minSilence: 0.1,
  padding: 0.03,
}

/** Finds spans of speech in a stream of probabilities, one per frame of `frame` seconds. */
export class SpeechSpanDetector {
  readonly #rule: VoiceActivityRule
  readonly #frame: number
  #at = 0
  #begin: number | undefined
  /** Start of the silence within the current speech. */
  #silenceStart: number | undefined
  /** Latest span, unpadded; padding may join it with the next. */
  #last: TimeSpan | undefined

  constructor(frame: number, rule = defaultVoiceActivityRule) {
    this.#frame = frame
    this.#rule = rule
  }

  /** Adds a probability, 0 to 1. Returns the span that it completes, if any. */
  add(probability: number): TimeSpan | undefined {
    const { threshold, release, minSilence } = this.#rule
    const at = this.#at * this.#frame
    this.#at += 1
    if (probability >= threshold) {
      this.#begin ??= at
      this.#silenceStart = undefined
      return undefined
    }
    if (this.#begin === undefined) return undefined
    if (probability < release) this.#silenceStart ??= at
    if (this.#silenceStart === undefined || at + this.#frame - this.#silenceStart < minSilence)
      return undefined
    return this.#close(this.#silenceStart)
  }

  /** Returns the remaining spans after the last probability. */
  end(): TimeSpan[] {
    const whole = this.#begin === undefined ? undefined : this.#close(this.#silenceStart ?? this.#total)
    const last = this.#last && padSpeechSpan(this.#last, this.#rule.padding, this.#total)
    return [...(whole ? [whole] : []), ...(last ? [last] : [])]
  }

  get #total(): number {
    return this.#at * this.#frame
  }

  /** Ends the current speech. Returns the previous span if it is final. */
  #close(end: number): TimeSpan | undefined {
    const { minSpeech, padding } = this.#rule
    const found = { start: this.#begin ?? end, end }
    this.#begin = undefined
    this.#silenceStart = undefined
    if (found.end - found.start < minSpeech) return undefined
    const before = this.#last
    this.#last = found
    if (!before) return undefined
    if (found.start - before.end > 2 * padding) return padSpeechSpan(before, padding, this.#total)
    this.#last = { start: before.start, end: found.end }
    return undefined
  }
}

function padSpeechSpan({ start, end }: TimeSpan, padding: number, total: number): TimeSpan {
  return { start: Math.max(0, start - padding), end: Math.min(total, end + padding) }
}

/** Pause that always ends a chunk unless the caller gives one, seconds. */
const maxPauseSeconds = 2

/**
 * Groups spans of speech into chunks of at most `longest` seconds for a recogniser; a silence of `maxPause` seconds (default 2) ends a chunk. Longer speech is split where the
 * probability of speech is lowest, in the second half of a chunk. `probabilities` has one value per `frame` seconds.
 */
export function recognitionChunks(
  spans: readonly TimeSpan[],
  {
    longest,
    frame,
    probabilities,
    maxPause = maxPauseSeconds,
  }: {
    readonly longest: number
    readonly frame: number
    readonly probabilities: ArrayLike<number>
    readonly maxPause?: number | undefined
  },
): TimeSpan[] {
  const pieces: TimeSpan[] = []
  for (const span of spans.flatMap(cut)) {
    const last = pieces.at(-1)
    if (last && span.start - last.end < maxPause && span.end - last.start <= longest) {
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
