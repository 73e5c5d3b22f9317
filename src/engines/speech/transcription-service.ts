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
import { parseJson } from '../../contract/bounded-json.ts'
import { type ClientOptions, openClient, type ServiceClient } from '../services/client.ts'
import type { ServiceRequest, ServiceResponse } from '../services/http-exchange.ts'
import { httpErrorCause, unexpectedResponse } from '../services/failures.ts'
import { serviceName } from '../services/services.ts'
import { requireService } from '../services/configured.ts'
import type { Recogniser, SpeechCallOptions } from './speech-engines.ts'

/** Limits of one request: without a GPU, a server takes about as long as the sound lasts. */
const transcriptionLimits = { firstByteMs: 600_000, wholeMs: 900_000, maxBytes: 16 * 2 ** 20 }

/** Longest sound per request, seconds: 9.6 MB (most services accept 25 MB), quickly repeated after a failure. */
const maxRequestSeconds = 300

/** Response formats, the most detailed first. */
const responseForms = [
  [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  [['response_format', 'verbose_json']],
  [['response_format', 'json']],
] as const

/** Index of the format that a server accepted, by address and model; kept while this process runs. */
const acceptedForms = new Map<string, number>()

/** Servers that refuse the code of Cantonese, by address and model: models before Whisper large-v3 do not know it. */
const withoutCantonese = new Set<string>()

type RecogniseOptions = SpeechCallOptions & { readonly language?: string }

/** Opens the configured transcription service. Throws 6401 if none is configured. */
export function openTranscriptionService(clientOptions: ClientOptions = {}): Recogniser {
  const service = requireService('transcription')
  const client = openClient({ kind: 'transcription', service }, { ...transcriptionLimits, ...clientOptions })
  return {
    name: serviceName(service),
    maxSeconds: maxRequestSeconds,
    async recognise(sound, options) {
      const seconds = sound.length / speechRate
      const { bytes } = await requestTranscription(client, sound, options)
      const response = parseTranscription(parseJson(bytes.toString('utf8')), seconds)
      if (!response) throw unexpectedResponse(client.target, 'does not respond with a transcription')
      return validateRecognition(response, {
        seconds,
        fail(what) {
          throw unexpectedResponse(client.target, 'responds with an invalid transcription', what)
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
): Promise<ServiceResponse> {
  const { address, model } = client.target.service
  const server = `${address}#${model}`
  const file = {
    name: 'speech.wav',
    type: 'audio/wav',
    bytes: encodeWav({ samples: sound, rate: speechRate }),
  }
  const code = language === undefined ? undefined : serviceLanguage(language, server)
  for (let form = acceptedForms.get(server) ?? 0; ; form += 1) {
    const fields: ServiceRequest['form'] = [
      ['file', file],
      ...(model === undefined ? [] : [['model', model] as const]),
      ...(code === undefined ? [] : [['language', code] as const]),
      ['temperature', '0'],
      ...(responseForms[form] ?? []),
    ]
    try {
      const answer = await client.send({ path: '/audio/transcriptions', form: fields, signal })
      acceptedForms.set(server, form)
      return answer
    } catch (error) {
      const isOfForm = [400, 415, 422].includes(httpErrorCause(error)?.status ?? 0)
      if (!isOfForm) throw error
      if (form < responseForms.length - 1) continue
      if (code !== cantonese) throw error
      const response = await requestTranscription(client, sound, { language: 'zh-CN', signal })
      withoutCantonese.add(server)
      return response
    }
  }
}

const cantonese = 'yue'

/** Code that a server takes for a contract language: Cantonese is Chinese where it is not known. */
function serviceLanguage(language: string, server: string): string {
  return language === 'zh-HK' && !withoutCantonese.has(server) ? cantonese : recogniserLanguage(language)
}

/** Some servers write numbers as strings. */
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

/** Response of an OpenAI-compatible transcription endpoint; the short format has only the text. */
const transcriptionSchema = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(wordSchema).nullish(),
  segments: z.array(segmentSchema).nullish(),
})
type TranscriptionResponse = z.infer<typeof transcriptionSchema>

/** Times beyond 10 ms in nanoseconds are nanoseconds, as LocalAI wrote them. As seconds, they would be months. */
const leastNanoseconds = 1e7

/** Parses a response for `seconds` of sound; null if it is not a transcription. Times are not validated. */
function parseTranscription(value: unknown, seconds: number): RecognitionResult | null {
  const response = transcriptionSchema.safeParse(value).data
  if (!response) return null
  const { language, segments } = response
  const words = response.words ?? segments?.flatMap((one) => one.words ?? []) ?? []
  const text = response.text.trim()
  const timedParts =
    words.length > 0
      ? words.flatMap(splitServiceWord)
      : (segments ?? []).flatMap((one) => distributeTime(one.text, one))
  const unit = timedParts.some(({ end }) => end > leastNanoseconds) ? 1e-9 : 1
  const timed = timedParts.map(({ text: spoken, start, end }) => {
    const from = start * unit
    // Whisper pads its windows: the last word may end after the sound.
    return { text: spoken, start: from, end: Math.min(end * unit, Math.max(from, seconds)) }
  })
  return {
    text,
    words: timed.length > 0 ? timed : distributeTime(text, { start: 0, end: seconds }),
    timed: words.length > 0,
    confidence: transcriptionConfidence(response, words),
    language: language ? normalizeLanguage(language) : null,
  }
}

/** Splits a Chinese or Japanese word into characters. Blank words are dropped. */
function splitServiceWord({ word: spoken, start, end }: z.infer<typeof wordSchema>): TimedWord[] {
  const text = spoken.trim()
  if (text === '') return []
  return isSpaceless(text) ? distributeTime(text, { start, end }) : [{ text, start, end }]
}

/** Mean confidence of the words, else of the segments weighted by length; 0 to 1, or null. */
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
