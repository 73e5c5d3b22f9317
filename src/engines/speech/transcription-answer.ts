import * as z from 'zod'
import { normalizeLanguage } from '../../media/speech/language-codes.ts'
import { isSpaceless, distributeTime } from '../../media/speech/split-words.ts'
import type { RecognitionResult, TimeSpan, TimedWord } from '../../media/speech/spoken.ts'

/** Some servers write numbers as texts. */
const numberSchema = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
])
const shareSchema = z.number().min(0).max(1).nullish().catch(null)
const wordSchema = z.object({
  word: z.string(),
  start: numberSchema,
  end: numberSchema,
  probability: shareSchema,
})
const segmentSchema = z.object({
  text: z.string(),
  start: numberSchema,
  end: numberSchema,
  avg_logprob: z.number().nullish().catch(null),
  words: z.array(wordSchema).nullish(),
})

/** What an OpenAI-compatible transcription endpoint answers; in its short form the text alone. */
const transcriptionSchema = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(wordSchema).nullish(),
  segments: z.array(segmentSchema).nullish(),
})
type TranscriptionResponse = z.infer<typeof transcriptionSchema>

/** Times that are so many times too long are nanoseconds: LocalAI wrote them so. */
const nanosecondFactor = 1000

/** What was recognised in so many seconds of sound; null where that is no transcription. Nothing is checked yet. */
export function parseTranscription(value: unknown, seconds: number): RecognitionResult | null {
  const read = transcriptionSchema.safeParse(value).data
  if (!read) return null
  const { language, segments } = read
  const words = read.words ?? segments?.flatMap((one) => one.words ?? []) ?? []
  const text = read.text.trim()
  const told =
    words.length > 0
      ? words.flatMap(splitServiceWord)
      : (segments ?? []).flatMap((one) => distributeTime(one.text, one))
  const unit = told.some(({ end }) => end > nanosecondFactor * seconds) ? 1e-9 : 1
  const timed = told.map(({ text: said, start, end }) => {
    const from = start * unit
    // Whisper hears in windows, and may let the last word last to the end of its own.
    return { text: said, start: from, end: Math.min(end * unit, Math.max(from, seconds)) }
  })
  return {
    text,
    words: timed.length > 0 ? timed : distributeTime(text, { start: 0, end: seconds }),
    timed: words.length > 0,
    confidence: transcriptionConfidence(read, words),
    language: language ? normalizeLanguage(language) : null,
  }
}

/** Chinese and Japanese come in words of several characters; what is only blank is none. */
function splitServiceWord({ word: said, start, end }: z.infer<typeof wordSchema>): TimedWord[] {
  const text = said.trim()
  if (text === '') return []
  return isSpaceless(text) ? distributeTime(text, { start, end }) : [{ text, start, end }]
}

/** Of the words, else of the segments by their length; 0 to 1. */
function transcriptionConfidence(
  { segments }: TranscriptionResponse,
  words: readonly z.infer<typeof wordSchema>[],
): number | null {
  const ofWords = words.flatMap(({ probability }) => probability ?? [])
  if (words.length > 0 && ofWords.length === words.length)
    return weightedMean(ofWords.map((value) => [value, 1]))
  const ofSegments = (segments ?? []).flatMap((one) =>
    typeof one.avg_logprob === 'number'
      ? [[Math.exp(Math.min(0, one.avg_logprob)), segmentSeconds(one)] as const]
      : [],
  )
  return weightedMean(ofSegments)
}

function segmentSeconds({ start, end }: TimeSpan): number {
  return Math.max(0, end - start)
}

function weightedMean(weighted: readonly (readonly [value: number, weight: number])[]): number | null {
  const weights = weighted.reduce((sum, [, weight]) => sum + weight, 0)
  return weights > 0 ? weighted.reduce((sum, [value, weight]) => sum + value * weight, 0) / weights : null
}
