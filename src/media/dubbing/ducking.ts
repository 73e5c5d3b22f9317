import { firstIndex } from '../first-index.ts'

/** A span of sound, samples from its start: `from` inclusive, `to` exclusive. */
export interface SampleSpan {
  readonly from: number
  readonly to: number
}

/** Gain of music under speech, dB. */
const duckedDecibels = -12

/** Length of the fade down, which ends where speech starts, and of the fade up after it, seconds. */
const attackSeconds = 0.15
const releaseSeconds = 0.4

/** Music stays down in pauses shorter than this, seconds: both fades would follow one another like a pump. */
const bridgedSeconds = 0.8

/**
 * Returns a function that computes the linear gains of music under speech, for `count` samples from `from` on: -12 dB
 * under speech, 1 elsewhere, with raised cosines of the decibels between them, from 150 ms before to 400 ms after speech.
 * `spans`: speech, in any order. `rate`: Hz.
 */
export function duckingEnvelope(
  spans: readonly SampleSpan[],
  rate: number,
): (from: number, count: number) => Float32Array {
  const [attack, release] = [Math.round(attackSeconds * rate), Math.round(releaseSeconds * rate)]
  const speech = bridgeSpans(spans, Math.round(bridgedSeconds * rate))
  return (from, count) => {
    const gains = new Float32Array(count).fill(1)
    const nearest = firstIndex(speech, ({ to }) => to > from - release)
    for (let index = nearest; index < speech.length; index += 1) {
      const span = speech[index]
      if (!span || span.from - attack >= from + count) break
      const first = Math.max(from, span.from - attack)
      const end = Math.min(from + count, span.to + release)
      for (let at = first; at < end; at += 1) {
        const depth = Math.min(1, 1 - (span.from - at) / attack, 1 - (at - span.to) / release)
        gains[at - from] = Math.min(gains[at - from] ?? 1, duckedGain(depth))
      }
    }
    return gains
  }
}

/** Gain on the way into (1) or out of (0) speech. */
function duckedGain(depth: number): number {
  return 10 ** ((duckedDecibels * (1 - Math.cos(Math.PI * depth))) / 40)
}

/** Sorts spans and joins those with shorter gaps than `gap`. */
function bridgeSpans(spans: readonly SampleSpan[], gap: number): SampleSpan[] {
  const joined: { from: number; to: number }[] = []
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (last && from - last.to < gap) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}
