import { open } from 'node:fs/promises'
import { MediaError } from '../../src/contract/errors.ts'
import { fileUrl, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { type SentenceSpan, SpeechAssembler } from '../../src/media/speech/speech-assembler.ts'
import type { SpokenSentence } from './synthesize.ts'

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

/** What players and people are told of the file. */
const aiGeneratedComment = 'AI-generated speech in the voice of a recording (Reelwright)'

interface WriteSpeechOptions {
  readonly path: string
  readonly format: SpeechFormat
  readonly signal: AbortSignal
}

/** Sound of one channel in a file that has nothing else: 32-bit floats, little-endian. */
interface RawSpeech {
  readonly path: string
  readonly rate: number
  readonly seconds: number
}

/** Longest that it may take: some, and so much for each second of sound, of which some fifty are written in one, ms. */
const [startMs, secondMs] = [60_000, 1000]

/** Codecs by the end of the name; MP3 of one channel is transparent for speech at this rate. */
const codecs = { wav: ['-c:a', 'pcm_s16le'], mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'] } as const
type SpeechFormat = keyof typeof codecs

/** Writes speech as a file for people, marked as AI-generated. */
export async function writeSpeech(
  speech: RawSpeech,
  { path, format, signal }: WriteSpeechOptions,
): Promise<void> {
  const form = ['-protocol_whitelist', 'file', '-f', 'f32le', '-ar', String(speech.rate), '-ac', '1']
  const input = [...form, '-i', fileUrl(speech.path)]
  await runRaw({
    args: [...input, '-metadata', `comment=${aiGeneratedComment}`, ...codecs[format], path],
    signal,
    timeoutMs: startMs + secondMs * speech.seconds,
  })
}
