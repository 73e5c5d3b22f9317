import { Assembly, type Placed } from '../../src/media/speech/assemble.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { Sentence } from './speak.ts'
import { writeSpeech, type Format } from './write.ts'

interface Wish {
  readonly path: string
  readonly format: Format
  /** Seconds between sentences. */
  readonly pause: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Told how many sentences are there. */
  readonly onSpoken: (count: number) => void
}

/** Speech in a file. */
export interface Made {
  readonly placed: readonly Placed[]
  readonly seconds: number
  readonly rate: number
  /** Sentences of which words are lost, with the share of them. */
  readonly lost: readonly Pick<Required<Sentence>, 'text' | 'lost'>[]
}

/** Writes sentences one after another into a file as they are spoken. */
export async function assembleSpeech(
  sentences: AsyncGenerator<Sentence>,
  { path, format, pause, signal, timeoutMs, onSpoken }: Wish,
): Promise<Made> {
  const first = await sentences.next()
  if (first.done) throw new TypeError('there is nothing to say')
  const { rate } = first.value
  const assembly = new Assembly({ rate, pause })
  const lost: Made['lost'][number][] = []
  async function* pieces(): AsyncGenerator<Float32Array> {
    for (let next: IteratorResult<Sentence> = first; !next.done; next = await sentences.next()) {
      const { text, samples, rate: other, lost: share } = next.value
      if (other !== rate) throw new MediaError(6401, `the voice speaks at ${rate} Hz and then at ${other} Hz`)
      if (share !== undefined) lost.push({ text, lost: share })
      yield assembly.add(text, samples)
      onSpoken(assembly.placed.length)
    }
  }
  await writeSpeech(pieces(), { path, rate, format, signal, timeoutMs })
  return { placed: assembly.placed, seconds: assembly.seconds, rate, lost }
}
