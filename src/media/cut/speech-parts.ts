import { recognitionChunks } from '../speech/speech-spans.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import { firstEndingAfter, type SpeechLevels } from './edges.ts'
import { hopSeconds } from './level-track.ts'

/** Silence that divides speech, seconds: longer than the closure of a stop, shorter than the pause after a restart. */
const innerPause = 0.12

/** Silence kept around a part for the recogniser, seconds, at most half of the pause. */
const margin = 0.1

/** Returns the voices of a span joined over pauses shorter than 0.12 s, within the span. */
export function voiceGroups({ map: { voices } }: SpeechLevels, span: TimeSpan): TimeSpan[] {
  const groups: TimeSpan[] = []
  for (let at = firstEndingAfter(voices, span.start); at < voices.length; at += 1) {
    const voice = voices[at]
    if (!voice || voice.start >= span.end) break
    const [start, end] = [Math.max(voice.start, span.start), Math.min(voice.end, span.end)]
    const last = groups.at(-1)
    if (last && start - last.end < innerPause) groups[groups.length - 1] = { start: last.start, end }
    else groups.push({ start, end })
  }
  return groups
}

/**
 * Returns the speech of a span in parts, divided at every inner pause of 0.12 s and more, and where it is quietest into
 * at most `longest` seconds. Parts contain up to 0.1 s of the silence around them and are within the span.
 */
export function speechParts(levels: SpeechLevels, span: TimeSpan, longest: number): TimeSpan[] {
  const groups = voiceGroups(levels, span).map(({ start, end }) => ({
    ...{ start: start - span.start, end: end - span.start },
  }))
  const [first, hops] = [span.start, span.end - span.start].map((seconds) => Math.ceil(seconds / hopSeconds))
  const loudness = Float32Array.from({ length: hops ?? 0 }, (_, hop) =>
    levels.curve.level((first ?? 0) + hop),
  )
  const parts = recognitionChunks(groups, {
    ...{ longest: longest - 2 * margin, frame: hopSeconds, probabilities: loudness, maxPause: innerPause },
  }).map(({ start, end }) => ({ start: span.start + start, end: span.start + end }))
  return parts.map(({ start, end }, index) => {
    const before = (parts[index - 1]?.end ?? -Infinity) + start
    const after = (parts[index + 1]?.start ?? Infinity) + end
    return {
      start: Math.max(span.start, start - margin, before / 2),
      end: Math.min(span.end, end + margin, after / 2),
    }
  })
}
