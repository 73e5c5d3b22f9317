import type { MediaFacts } from '../../contract/media-facts.ts'

/** Shortest reported gap, seconds: small gaps between packets are normal. */
const minReportedSeconds = 1

/**
 * Seconds of a file's first sound that are missing or cannot be decoded; 0 below one second. `filled` is the silence
 * that the decoder inserted, seconds.
 */
export function missingAudioSeconds(facts: MediaFacts | null, filled: number): number {
  // Silence before a late start is not a gap.
  const missing = filled - (facts?.audio[0]?.start_ms ?? 0) / 1000
  return missing > minReportedSeconds ? missing : 0
}

/** Remark for the result; empty if nothing is missing. */
export function missingAudioNotes(facts: MediaFacts | null, filled: number): string[] {
  const missing = missingAudioSeconds(facts, filled)
  return missing > 0
    ? [`${missing.toFixed(1)} s of the sound are missing or cannot be decoded; they were treated as silence`]
    : []
}
