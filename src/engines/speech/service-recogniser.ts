import { speechRate } from '../../media/speech/spoken.ts'
import { checkRecognised } from '../../media/speech/check-words.ts'
import { recognisedAs } from '../../media/speech/language-codes.ts'
import { wavOf } from '../../media/audio/wav.ts'
import { parseJson } from '../../platform/json.ts'
import { openClient, type ClientOptions, type ServiceClient } from '../services/client.ts'
import type { Request } from '../services/exchange.ts'
import { strange } from '../services/failures.ts'
import { refusalOf } from '../services/refusal.ts'
import { nameOf } from '../services/services.ts'
import { requireService } from '../services/use.ts'
import type { Calling, Recogniser } from './speech.ts'
import { readTranscription } from './transcription-answer.ts'

/** A server without a graphics card takes about as long as the sound lasts. */
const limits = { firstByteMs: 600_000, wholeMs: 900_000, maxBytes: 16 * 2 ** 20 }

/** Seconds of sound in one request: 9.6 of the 25 MB that most services take, and soon done again. */
const longest = 300

/** Ways to ask for times, the most telling first. */
const forms = [
  [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  [['response_format', 'verbose_json']],
  [['response_format', 'json']],
] as const

/** The form that a server took, by its address and model, for as long as this process lives. */
const known = new Map<string, number>()

type Wish = Calling & { readonly language?: string }

/** Opens the transcription service that is set; 6401 where none is. */
export function openServiceRecogniser(options: ClientOptions = {}): Recogniser {
  const service = requireService('transcription')
  const client = openClient({ need: 'transcription', service }, { ...limits, ...options })
  return {
    name: nameOf(service),
    longest,
    async recognise(sound, wish) {
      const seconds = sound.length / speechRate
      const { bytes } = await transcribe(client, sound, wish)
      const read = readTranscription(parseJson(bytes.toString('utf8')), seconds)
      if (!read) throw strange(client.told, 'answers what is no transcription')
      return checkRecognised(read, {
        seconds,
        fail(what) {
          throw strange(client.told, `answers what makes no sense: ${what}`)
        },
      })
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function transcribe(client: ServiceClient, sound: Float32Array, { language, signal }: Wish) {
  const { address, model } = client.told.service
  const server = `${address}#${model}`
  const file = { name: 'speech.wav', type: 'audio/wav', bytes: wavOf({ samples: sound, rate: speechRate }) }
  for (let form = known.get(server) ?? 0; ; form += 1) {
    const fields: Request['form'] = [
      ['file', file],
      ...(model === undefined ? [] : [['model', model] as const]),
      ...(language === undefined ? [] : [['language', recognisedAs(language)] as const]),
      ['temperature', '0'],
      ...(forms[form] ?? []),
    ]
    try {
      const answer = await client.send({ path: '/audio/transcriptions', form: fields, signal })
      known.set(server, form)
      return answer
    } catch (error) {
      const isOfForm = [400, 415, 422].includes(refusalOf(error)?.status ?? 0)
      if (!isOfForm || form >= forms.length - 1) throw error
    }
  }
}
