import type { MediaFacts } from '../../contract/media-facts.ts'

/** What is shorter is not told, seconds: gaps between packets are no damage. */
const minReportedSeconds = 1

/**
 * Seconds of a file's first sound that are missing or do not decode, of those that were filled with silence; 0 where
 * it is not worth telling.
 */
export function missingAudioSeconds(facts: MediaFacts | null, filled: number): number {
  // Before a late start nothing is missing.
  const missing = filled - (facts?.audio[0]?.start_ms ?? 0) / 1000
  return missing > minReportedSeconds ? missing : 0
}

/** What is told of it. */
export function missingAudioNotes(facts: MediaFacts | null, filled: number): string[] {
  const missing = missingAudioSeconds(facts, filled)
  return missing > 0
    ? [`${missing.toFixed(1)} s of the sound are missing or do not decode: silence was heard there`]
    : []
}
