import { configureServices } from '../../src/engines/services/configured.ts'
import { decodeWav, encodeWav } from '../../src/media/audio/wav.ts'
import { bytes, json, startStandIn, type Reply, type StandIn } from '../engines/services/stand-in.ts'

/** Rate at which the parrot speaks, Hz. */
export const parrotRate = 24_000

/** A voice service and a transcription service that know each other: what one spoke, the other understands. */
export interface Parrot extends AsyncDisposable {
  readonly voice: StandIn
  readonly ears: StandIn
  /** What was asked to be spoken, each attempt. */
  readonly asked: Record<string, unknown>[]
  /** What it says of a text at an attempt, counted from 0; a parrot that is not told otherwise says all. */
  says: (text: string, attempt: number) => string
  /** What is understood of sound that is not its own. */
  others: Readonly<Record<string, unknown>>
}

/** Starts both, and sets them for this process. */
export async function startParrot(): Promise<Parrot> {
  /** What each length of sound says, samples of 16 kHz. */
  const said = new Map<number, string>()
  const attempts = new Map<string, number>()
  const speak: Reply = (response, { body }) => {
    const request = JSON.parse(String(body)) as Record<string, unknown> & { text: string }
    parrot.asked.push(request)
    const attempt = attempts.get(request.text) ?? 0
    attempts.set(request.text, attempt + 1)
    const words = parrot.says(request.text, attempt)
    // No two lengths are alike, so that a length tells what was said.
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
  const [voice, ears] = [await startStandIn(speak), await startStandIn(understand)]
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

/** Something to hear all the way, which no silence is taken off of. */
function tone(length: number): Float32Array {
  return Float32Array.from({ length }, (_, at) => Math.sin(at / 11) / 3)
}

/** The WAV file in a form. */
function wavIn(form: Buffer): Buffer {
  const from = form.indexOf('RIFF')
  return form.subarray(from, from + 8 + form.readUInt32LE(from + 4))
}
