import { recognitionChunks } from '../speech/speech-spans.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import { firstEndingAfter, type SpeechLevels } from './edges.ts'
import { hopSeconds } from './level-track.ts'

/** Silence that divides speech, seconds: longer than the closure of a stop, shorter than the pause after a restart. */
const innerPause = 0.12

/** Silence kept around a part for the recogniser, seconds, at most half of the pause. */
const margin = 0.1

/** Height of a level of 0 dBFS over the lowest level of a curve, dB. */
const levelRange = 128

/**
 * Returns the speech of a span in parts, divided at every inner pause of 0.12 s and more, and where it is quietest into
 * at most `longest` seconds. Parts contain up to 0.1 s of the silence around them and are within the span.
 */
export function speechParts(
  { curve, map: { voices } }: SpeechLevels,
  span: TimeSpan,
  longest: number,
): TimeSpan[] {
  const inside = voices
    .slice(firstEndingAfter(voices, span.start), firstEndingAfter(voices, span.end) + 1)
    .map(({ start, end }) => ({ start: Math.max(start, span.start), end: Math.min(end, span.end) }))
    .filter(({ start, end }) => end > start)
  const last = Math.ceil(span.end / hopSeconds)
  const probabilities = Array.from({ length: last + 1 }, (_, hop) =>
    hop * hopSeconds < span.start ? 1 : curve.level(hop) + levelRange,
  )
  const parts = recognitionChunks(inside, {
    ...{ longest: longest - 2 * margin, frame: hopSeconds, probabilities, maxPause: innerPause },
  })
  return parts.map(({ start, end }, index) => {
    const before = (parts[index - 1]?.end ?? -Infinity) + start
    const after = (parts[index + 1]?.start ?? Infinity) + end
    return {
      start: Math.max(span.start, start - margin, before / 2),
      end: Math.min(span.end, end + margin, after / 2),
    }
  })
}
