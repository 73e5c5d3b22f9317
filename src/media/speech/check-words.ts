import type { RecognitionResult, TimedWord } from './spoken.ts'

/** How far times of engines may be off without being wrong, seconds: a frame of a recogniser or a few. */
const timeTolerance = 0.25

/**
 * What an engine answers for sound of so many seconds, with small overlaps taken out. Calls `fail` with what makes no
 * sense in it: times that are no numbers, out of order, or outside the sound.
 */
export function validateRecognition(
  recognised: RecognitionResult,
  { seconds, fail }: { readonly seconds: number; readonly fail: (what: string) => never },
): RecognitionResult {
  const words: TimedWord[] = []
  let latest = 0
  for (const { text, start, end } of recognised.words) {
    if (!Number.isFinite(start) || !Number.isFinite(end)) fail(`the time of "${text}" is no number`)
    if (end < start) fail(`"${text}" ends before it begins`)
    if (start < -timeTolerance || start > seconds + timeTolerance) fail(`"${text}" lies outside the sound`)
    if (start < latest - timeTolerance) fail(`"${text}" lies before the word before it`)
    latest = Math.max(latest, start)
    const from = Math.min(Math.max(start, words.at(-1)?.end ?? 0), seconds)
    words.push({ text, start: from, end: Math.min(Math.max(end, from), seconds) })
  }
  const { confidence } = recognised
  if (confidence !== null && !(confidence >= 0 && confidence <= 1)) fail(`the confidence is ${confidence}`)
  return { ...recognised, words }
}
