import { configureServices } from '../../src/engines/services/configured.ts'
import { decodeWav, encodeWav } from '../../src/media/audio/wav.ts'
import {
  bytes,
  json,
  startFakeService,
  type Reply,
  type FakeService,
} from '../engines/services/fake-service.ts'

/** Sample rate of the fake voice, Hz. */
export const fakeVoiceRate = 24_000

/** A fake voice service and a fake transcription service that recognises its output. */
export interface FakeSpeechServices extends AsyncDisposable {
  readonly voice: FakeService
  readonly recogniser: FakeService
  /** Bodies of the requests, one entry per attempt. */
  readonly requests: Record<string, unknown>[]
  /** Words spoken for a text at an attempt (from 0). Default: the whole text. */
  spokenWords: (text: string, attempt: number) => string
  /** Transcription of any other sound. */
  fallbackTranscript: Readonly<Record<string, unknown>>
}

/** Starts both services and configures them for this process. */
export async function startFakeSpeechServices(): Promise<FakeSpeechServices> {
  /** Text by length of the sound, samples at 16 kHz. */
  const textByLength = new Map<number, string>()
  const attempts = new Map<string, number>()
  const replyWithSpeech: Reply = (response, { body }) => {
    const request = JSON.parse(String(body)) as Record<string, unknown> & { text: string }
    speechServices.requests.push(request)
    const attempt = attempts.get(request.text) ?? 0
    attempts.set(request.text, attempt + 1)
    const words = speechServices.spokenWords(request.text, attempt)
    // Every sound has a unique length, which identifies its text.
    const length = 16_000 + 300 * textByLength.size
    textByLength.set(length, words)
    return bytes(encodeWav({ samples: tone((length * 3) / 2), rate: fakeVoiceRate }), 'audio/wav')(
      response,
      {} as never,
    )
  }
  const replyWithTranscript: Reply = (response, { body }) => {
    const { samples } = decodeWav(wavIn(body))
    const text = textByLength.get(samples.length)
    const transcript =
      text === undefined ? speechServices.fallbackTranscript : { text, language: 'english', segments: [] }
    return json(transcript)(response, {} as never)
  }
  const [voice, recogniser] = [
    await startFakeService(replyWithSpeech),
    await startFakeService(replyWithTranscript),
  ]
  const speechServices: FakeSpeechServices = {
    voice,
    recogniser,
    requests: [],
    spokenWords: (text) => text,
    fallbackTranscript: { text: 'ask not what your country can do for you', language: 'english' },
    async [Symbol.asyncDispose]() {
      configureServices({})
      await voice[Symbol.asyncDispose]()
      await recogniser[Symbol.asyncDispose]()
    },
  }
  configureServices({
    voice_service: { address: `gpt-sovits+${voice.origin}` },
    transcription: { address: `${recogniser.origin}/v1`, model: 'parrot' },
  })
  return speechServices
}

/** Continuous sound without silence to trim. */
function tone(length: number): Float32Array {
  return Float32Array.from({ length }, (_, at) => Math.sin(at / 11) / 3)
}

/** The WAV file of a form. */
function wavIn(form: Buffer): Buffer {
  const from = form.indexOf('RIFF')
  return form.subarray(from, from + 8 + form.readUInt32LE(from + 4))
}
