import type { TimeSpan } from '../speech/speech-types.ts'
import { firstEndingAfter } from './edges.ts'
import type { MouthSample } from './visual-speech.ts'

/** How far the picture of a recording shows its speaker. Both 0 to 1. */
export interface SpeakerVisibility {
  /** Share of the speech during which a face is seen. */
  readonly seen: number
  /** Share of the speech with a face during which a mouth moves as in speech; 1 if no face is seen. */
  readonly moving: number
}

/**
 * Least share of the speech with a face. In less than half of it, most omissions would go unnoticed, so that their
 * absence means nothing.
 */
export const minSeen = 0.5

/**
 * Least share of the speech with a face in which a mouth moves. It is 0.85 or more for a visible speaker, and almost 0 if
 * the voice belongs to somebody else, if the picture is a photograph, or if the face is too small to show its lips.
 */
export const minMoving = 0.3

/** Measures how far the picture shows the speaker. `voices` and `visual`: in order and disjoint, seconds. */
export function speakerVisibility(
  samples: readonly MouthSample[],
  { voices, visual }: { readonly voices: readonly TimeSpan[]; readonly visual: readonly TimeSpan[] },
): SpeakerVisibility {
  const voiced = samples.filter((sample) => isWithin(voices, sample))
  const seen = voiced.filter(({ motion }) => motion !== null)
  const moving = seen.filter((sample) => isWithin(visual, sample))
  return { seen: share(seen.length, voiced.length, 0), moving: share(moving.length, seen.length, 1) }
}

/** Whether the middle of a sample is in one of the spans. */
function isWithin(spans: readonly TimeSpan[], { start, end }: TimeSpan): boolean {
  const middle = (start + end) / 2
  const span = spans[firstEndingAfter(spans, middle)]
  return span !== undefined && span.start <= middle
}

function share(part: number, whole: number, otherwise: number): number {
  return whole > 0 ? part / whole : otherwise
}
