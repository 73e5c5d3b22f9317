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
export const parrotRate = 24_000

/** A fake voice service and a fake transcription service that recognises its output. */
export interface Parrot extends AsyncDisposable {
  readonly voice: FakeService
  readonly ears: FakeService
  /** Bodies of the requests, one entry per attempt. */
  readonly asked: Record<string, unknown>[]
  /** Words spoken for a text at an attempt (from 0). Default: the whole text. */
  says: (text: string, attempt: number) => string
  /** Transcription of any other sound. */
  others: Readonly<Record<string, unknown>>
}

/** Starts both services and configures them for this process. */
export async function startParrot(): Promise<Parrot> {
  /** Text by length of the sound, samples at 16 kHz. */
  const said = new Map<number, string>()
  const attempts = new Map<string, number>()
  const speak: Reply = (response, { body }) => {
    const request = JSON.parse(String(body)) as Record<string, unknown> & { text: string }
    parrot.asked.push(request)
    const attempt = attempts.get(request.text) ?? 0
    attempts.set(request.text, attempt + 1)
    const words = parrot.says(request.text, attempt)
    // Every sound has a unique length, which identifies its text.
    const length = 16_000 + 300 * said.size
    said.set(length, words)
    return bytes(encodeWav({ samples: tone((length * 3) / 2), rate: parrotRate }), 'audio/wav')(
      response,
      {} as never,
    )
  }
  const understand: Reply = (response, { body }) => {
    const { samples } = decodeWav(wavIn(body))
    const text = said.get(samples.length)
    const answer = text === undefined ? parrot.others : { text, language: 'english', segments: [] }
    return json(answer)(response, {} as never)
  }
  const [voice, ears] = [await startFakeService(speak), await startFakeService(understand)]
  const parrot: Parrot = {
    voice,
    ears,
    asked: [],
    says: (text) => text,
    others: { text: 'ask not what your country can do for you', language: 'english' },
    async [Symbol.asyncDispose]() {
      configureServices({})
      await voice[Symbol.asyncDispose]()
      await ears[Symbol.asyncDispose]()
    },
  }
  configureServices({
    voice_service: { address: `gpt-sovits+${voice.origin}` },
    transcription: { address: `${ears.origin}/v1`, model: 'parrot' },
  })
  return parrot
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
