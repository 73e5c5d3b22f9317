import * as z from 'zod'
import { languageCode } from '../../media/speech/language-codes.ts'
import { isSpaceless, shareTime } from '../../media/speech/split-words.ts'
import type { Recognised, Span, Word } from '../../media/speech/spoken.ts'

/** Some servers write numbers as texts. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
])
const share = z.number().min(0).max(1).nullish().catch(null)
const word = z.object({ word: z.string(), start: number, end: number, probability: share })
const segment = z.object({
  text: z.string(),
  start: number,
  end: number,
  avg_logprob: z.number().nullish().catch(null),
  words: z.array(word).nullish(),
})

/** What an OpenAI-compatible transcription endpoint answers; in its short form the text alone. */
const transcription = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(word).nullish(),
  segments: z.array(segment).nullish(),
})
type Transcription = z.infer<typeof transcription>

/** Times that are so many times too long are nanoseconds: LocalAI wrote them so. */
const absurd = 1000

/** What was recognised in so many seconds of sound; null where that is no transcription. Nothing is checked yet. */
export function readTranscription(value: unknown, seconds: number): Recognised | null {
  const read = transcription.safeParse(value).data
  if (!read) return null
  const { language, segments } = read
  const words = read.words ?? segments?.flatMap((one) => one.words ?? []) ?? []
  const text = read.text.trim()
  const told =
    words.length > 0 ? words.flatMap(wordsIn) : (segments ?? []).flatMap((one) => shareTime(one.text, one))
  const unit = told.some(({ end }) => end > absurd * seconds) ? 1e-9 : 1
  const timed = told.map(({ text: said, start, end }) => {
    const from = start * unit
    // Whisper hears in windows, and may let the last word last to the end of its own.
    return { text: said, start: from, end: Math.min(end * unit, Math.max(from, seconds)) }
  })
  return {
    text,
    words: timed.length > 0 ? timed : shareTime(text, { start: 0, end: seconds }),
    timed: words.length > 0,
    confidence: confidenceOf(read, words),
    language: language ? languageCode(language) : null,
  }
}

/** Chinese and Japanese come in words of several characters; what is only blank is none. */
function wordsIn({ word: said, start, end }: z.infer<typeof word>): Word[] {
  const text = said.trim()
  if (text === '') return []
  return isSpaceless(text) ? shareTime(text, { start, end }) : [{ text, start, end }]
}

/** Of the words, else of the segments by their length; 0 to 1. */
function confidenceOf({ segments }: Transcription, words: readonly z.infer<typeof word>[]): number | null {
  const ofWords = words.flatMap(({ probability }) => probability ?? [])
  if (words.length > 0 && ofWords.length === words.length) return mean(ofWords.map((value) => [value, 1]))
  const ofSegments = (segments ?? []).flatMap((one) =>
    typeof one.avg_logprob === 'number'
      ? [[Math.exp(Math.min(0, one.avg_logprob)), lengthOf(one)] as const]
      : [],
  )
  return mean(ofSegments)
}

function lengthOf({ start, end }: Span): number {
  return Math.max(0, end - start)
}

function mean(weighted: readonly (readonly [value: number, weight: number])[]): number | null {
  const weights = weighted.reduce((sum, [, weight]) => sum + weight, 0)
  return weights > 0 ? weighted.reduce((sum, [value, weight]) => sum + value * weight, 0) / weights : null
}
