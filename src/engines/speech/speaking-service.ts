import type { MonoAudio } from '../../media/speech/speech-types.ts'
import { type ClientOptions, openClient } from '../services/client.ts'
import { serviceName, type SpeakingService } from '../services/services.ts'
import type { SpeechCallOptions } from './speech-engines.ts'
import { parseSpeech, voiceServiceLimits } from './voice-service.ts'

/** An engine that speaks in a voice of its own. */
export interface Speaker extends AsyncDisposable {
  /** Name reported in results. */
  readonly name: string
  /** Synthesizes a sentence, as mono sound at the sample rate of the engine. Throws 6401 and 6402 if that fails. */
  speak(text: string, options: SpeechCallOptions): Promise<MonoAudio>
}

/** Opens an OpenAI-compatible /audio/speech for one of its voices. The voice derives the language from the text. */
export function openSpeakingService(service: SpeakingService, options: ClientOptions = {}): Speaker {
  const { model, voice } = service
  const client = openClient(
    { kind: 'voices', service: { ...service, concurrency: service.concurrency ?? 1 } },
    { ...voiceServiceLimits, ...options },
  )
  return {
    name: serviceName(service),
    async speak(text, { signal }) {
      const json = { ...(model !== undefined && { model }), input: text, voice, response_format: 'wav' }
      return parseSpeech(client, await client.send({ path: '/audio/speech', json, signal }))
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
