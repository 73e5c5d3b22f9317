import { open } from 'node:fs/promises'
import { SpeechAssembler, type SentenceSpan } from '../../src/media/speech/assemble.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { SpokenSentence } from './speak.ts'

interface AssembleSpeechOptions {
  /** Where it is put together: 32-bit floats and nothing else. */
  readonly path: string
  /** Seconds between sentences. */
  readonly pause: number
  /** Told how many sentences are there. */
  readonly onSpoken: (count: number) => void
}

/** Speech in a file. */
export interface AssembledSpeech {
  readonly path: string
  readonly placed: readonly SentenceSpan[]
  readonly seconds: number
  readonly rate: number
  /** Sentences of which words are lost, with the share of them. */
  readonly lost: readonly Pick<Required<SpokenSentence>, 'text' | 'lost'>[]
}

/** Puts sentences one after another into a file as they are spoken. */
export async function assembleSpeech(
  sentences: AsyncIterable<SpokenSentence>,
  { path, pause, onSpoken }: AssembleSpeechOptions,
): Promise<AssembledSpeech> {
  let assembly: SpeechAssembler | undefined
  const lost: AssembledSpeech['lost'][number][] = []
  await using file = await open(path, 'w')
  for await (const { text, samples, rate, lost: share } of sentences) {
    assembly ??= new SpeechAssembler({ rate, pause })
    if (rate !== assembly.rate) {
      throw new MediaError(6401, `the voice speaks at ${assembly.rate} Hz and then at ${rate} Hz`)
    }
    if (share !== undefined) lost.push({ text, lost: share })
    await file.writeFile(assembly.add(text, samples))
    onSpoken(assembly.placed.length)
  }
  if (!assembly) throw new TypeError('there is nothing to say')
  const { placed, seconds, rate } = assembly
  return { path, placed, seconds, rate, lost }
}
