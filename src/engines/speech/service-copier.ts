import { MediaError } from '../../contract/errors.ts'
import { decodeWav, InvalidWavError } from '../../media/audio/wav.ts'
import type { MonoAudio } from '../../media/speech/spoken.ts'
import { parseServiceAddress } from '../services/address.ts'
import { openClient, type ClientOptions, type ServiceClient } from '../services/client.ts'
import type { ServiceResponse } from '../services/exchange.ts'
import { unexpectedResponse } from '../services/failures.ts'
import { serviceName, type VoiceService } from '../services/services.ts'
import { requireService } from '../services/use.ts'
import { requestGptSovits, gptSovitsLanguages } from './gpt-sovits.ts'
import { requestOpenAiSpeech, openAiLanguages } from './openai-speech.ts'
import type { Utterance, VoiceCloner } from './speech.ts'

/** A model may load first; a sentence takes seconds, without a graphics card minutes. */
const voiceServiceLimits = { firstByteMs: 300_000, wholeMs: 600_000, maxBytes: 64 * 2 ** 20 }

/** Below this nobody hears anything: -60 dBFS. */
const inaudibleAmplitude = 0.001

/** A sentence that is being spoken. */
export interface SpeechRequest extends Utterance {
  readonly client: ServiceClient
  readonly service: VoiceService
  /** Folder for what a server on this machine is to read. */
  readonly scratch: string
  readonly signal: AbortSignal
}

/** Languages that the voice service speaks, as the contract writes them. */
export function voiceServiceLanguages({ address }: VoiceService): readonly string[] {
  return parseServiceAddress(address).dialect === 'openai' ? openAiLanguages : gptSovitsLanguages
}

/** Opens the voice service that is set; 6401 where none is. */
export function openVoiceService({ scratch, ...options }: ClientOptions & { scratch: string }): VoiceCloner {
  const service = requireService('voice_service')
  // One model, one sentence at a time, unless it is said to do more.
  const client = openClient(
    { kind: 'voice_service', service: { ...service, concurrency: service.concurrency ?? 1 } },
    { ...voiceServiceLimits, ...options },
  )
  const isOpenAi = parseServiceAddress(service.address).dialect === 'openai'
  return {
    name: serviceName(service),
    languages: voiceServiceLanguages(service),
    async speak(utterance, { signal }) {
      const speaking = { ...utterance, client, service, scratch, signal }
      return parseSpeech(
        client,
        await (isOpenAi ? requestOpenAiSpeech(speaking) : requestGptSovits(speaking)),
      )
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** What was spoken; servers answer well and send nothing, silence, or another thing. */
function parseSpeech({ target: told }: ServiceClient, { bytes, type }: ServiceResponse): MonoAudio {
  if (bytes.length === 0) throw unexpectedResponse(told, 'answers without any sound')
  let sound: MonoAudio
  try {
    sound = decodeWav(bytes)
  } catch (error) {
    if (!(error instanceof InvalidWavError)) throw error
    throw unexpectedResponse(
      told,
      `answers sound that ${error.message} (${type || 'of no type'}, ${bytes.length} bytes)`,
    )
  }
  if (sound.samples.some((sample) => Math.abs(sample) > inaudibleAmplitude)) return sound
  throw new MediaError(6401, `${serviceName(told.service)} answers silence`, {
    hint: 'It does so where it failed inside: its log tells more. Try another reference, or a shorter text.',
  })
}
