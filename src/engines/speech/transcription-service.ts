import * as z from 'zod'
import { encodeWav } from '../../media/audio/wav.ts'
import { normalizeLanguage, recogniserLanguage } from '../../media/speech/recogniser-languages.ts'
import {
  type RecognitionResult,
  speechRate,
  type TimedWord,
  type TimeSpan,
} from '../../media/speech/speech-types.ts'
import { distributeTime, isSpaceless, validateRecognition } from '../../media/speech/words.ts'
import { parseJson } from '../../platform/text-formats.ts'
import { type ClientOptions, openClient, type ServiceClient } from '../services/client.ts'
import type { ServiceRequest } from '../services/exchange.ts'
import { unexpectedResponse } from '../services/failures.ts'
import { httpErrorCause } from '../services/refusal.ts'
import { serviceName } from '../services/services.ts'
import { requireService } from '../services/use.ts'
import type { Recogniser, SpeechCallOptions } from './speech-engines.ts'

/** A server without a graphics card takes about as long as the sound lasts. */
const transcriptionLimits = { firstByteMs: 600_000, wholeMs: 900_000, maxBytes: 16 * 2 ** 20 }

/** Seconds of sound in one request: 9.6 of the 25 MB that most services take, and soon done again. */
const maxRequestSeconds = 300

/** Ways to ask for times, the most telling first. */
const responseForms = [
  [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  [['response_format', 'verbose_json']],
  [['response_format', 'json']],
] as const

/** The form that a server took, by its address and model, for as long as this process lives. */
const acceptedForms = new Map<string, number>()

type RecogniseOptions = SpeechCallOptions & { readonly language?: string }

/** Opens the transcription service that is set; 6401 where none is. */
export function openTranscriptionService(options: ClientOptions = {}): Recogniser {
  const service = requireService('transcription')
  const client = openClient({ kind: 'transcription', service }, { ...transcriptionLimits, ...options })
  return {
    name: serviceName(service),
    longest: maxRequestSeconds,
    async recognise(sound, wish) {
      const seconds = sound.length / speechRate
      const { bytes } = await requestTranscription(client, sound, wish)
      const read = parseTranscription(parseJson(bytes.toString('utf8')), seconds)
      if (!read) throw unexpectedResponse(client.target, 'answers what is no transcription')
      return validateRecognition(read, {
        seconds,
        fail(what) {
          throw unexpectedResponse(client.target, `answers what makes no sense: ${what}`)
        },
      })
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function requestTranscription(
  client: ServiceClient,
  sound: Float32Array,
  { language, signal }: RecogniseOptions,
) {
  const { address, model } = client.target.service
  const server = `${address}#${model}`
  const file = {
    name: 'speech.wav',
    type: 'audio/wav',
    bytes: encodeWav({ samples: sound, rate: speechRate }),
  }
  for (let form = acceptedForms.get(server) ?? 0; ; form += 1) {
    const fields: ServiceRequest['form'] = [
      ['file', file],
      ...(model === undefined ? [] : [['model', model] as const]),
      ...(language === undefined ? [] : [['language', recogniserLanguage(language)] as const]),
      ['temperature', '0'],
      ...(responseForms[form] ?? []),
    ]
    try {
      const answer = await client.send({ path: '/audio/transcriptions', form: fields, signal })
      acceptedForms.set(server, form)
      return answer
    } catch (error) {
      const isOfForm = [400, 415, 422].includes(httpErrorCause(error)?.status ?? 0)
      if (!isOfForm || form >= responseForms.length - 1) throw error
    }
  }
}

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
function parseTranscription(value: unknown, seconds: number): RecognitionResult | null {
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
