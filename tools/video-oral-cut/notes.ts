import type { HeardRecording } from '../../src/engines/cutting/hear-recording.ts'
import type { OralCut } from './plan-cut.ts'
import { wordsSpan, wordsText } from './report.ts'

/** Returns remarks on the cut: hesitations that were removed, and speech after the picture. */
export function cutNotes(
  { transcript: { words } }: HeardRecording,
  { selection: { fillers }, unseenWords }: OralCut,
): string[] {
  const unseen =
    unseenWords > 0
      ? [`the picture ends before the sound: ${unseenWords} words after it are not in the cut`]
      : []
  if (fillers.length === 0) return unseen
  const places = fillers
    .slice(0, 5)
    .map((range) => `${wordsText(words, range)} at ${wordsSpan(words, range).start} s`)
  const more = fillers.length > places.length ? ` and ${fillers.length - places.length} more` : ''
  return [`removed ${fillers.length} hesitations: ${places.join(', ')}${more}`, ...unseen]
}
