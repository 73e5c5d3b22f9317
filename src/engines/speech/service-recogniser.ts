import { speechRate } from '../../media/speech/spoken.ts'
import { validateRecognition } from '../../media/speech/check-words.ts'
import { recogniserLanguage } from '../../media/speech/language-codes.ts'
import { encodeWav } from '../../media/audio/wav.ts'
import { parseJson } from '../../platform/json.ts'
import { openClient, type ClientOptions, type ServiceClient } from '../services/client.ts'
import type { ServiceRequest } from '../services/exchange.ts'
import { unexpectedResponse } from '../services/failures.ts'
import { httpErrorCause } from '../services/refusal.ts'
import { serviceName } from '../services/services.ts'
import { requireService } from '../services/use.ts'
import type { SpeechCallOptions, Recogniser } from './speech.ts'
import { parseTranscription } from './transcription-answer.ts'

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
