import { open } from 'node:fs/promises'
import { Assembly, type Placed } from '../../src/media/speech/assemble.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { Sentence } from './speak.ts'

interface Wish {
  /** Where it is put together: 32-bit floats and nothing else. */
  readonly path: string
  /** Seconds between sentences. */
  readonly pause: number
  /** Told how many sentences are there. */
  readonly onSpoken: (count: number) => void
}

/** Speech in a file. */
export interface Made {
  readonly path: string
  readonly placed: readonly Placed[]
  readonly seconds: number
  readonly rate: number
  /** Sentences of which words are lost, with the share of them. */
  readonly lost: readonly Pick<Required<Sentence>, 'text' | 'lost'>[]
}

/** Puts sentences one after another into a file as they are spoken. */
export async function assembleSpeech(
  sentences: AsyncIterable<Sentence>,
  { path, pause, onSpoken }: Wish,
): Promise<Made> {
  let assembly: Assembly | undefined
  const lost: Made['lost'][number][] = []
  await using file = await open(path, 'w')
  for await (const { text, samples, rate, lost: share } of sentences) {
    assembly ??= new Assembly({ rate, pause })
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
