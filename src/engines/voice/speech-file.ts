import { open } from 'node:fs/promises'
import { MediaError } from '../../contract/errors.ts'
import { fileUrl, runRaw } from '../ffmpeg/run.ts'
import { type SentenceSpan, SpeechAssembler } from '../../media/speech/speech-assembler.ts'
import type { SpokenSentence } from './synthesize.ts'

interface AssembleSpeechOptions {
  /** Path of the raw output: 32-bit floats. */
  readonly path: string
  /** Seconds between sentences. */
  readonly pause: number
  /** Called with the number of sentences written. */
  readonly onSpoken: (count: number) => void
}

/** Assembled speech in a raw file. */
export interface AssembledSpeech {
  readonly path: string
  readonly placed: readonly SentenceSpan[]
  readonly seconds: number
  readonly rate: number
  /** Sentences with lost words, and their share. */
  readonly sentencesWithLosses: readonly Pick<Required<SpokenSentence>, 'text' | 'lostShare'>[]
  /** Sentences in which other words were recognised, and the share of these. */
  readonly sentencesWithAdditions: readonly Pick<Required<SpokenSentence>, 'text' | 'addedShare'>[]
}

/** Writes sentences to a raw file during synthesis. */
export async function assembleSpeech(
  sentences: AsyncIterable<SpokenSentence>,
  { path, pause, onSpoken }: AssembleSpeechOptions,
): Promise<AssembledSpeech> {
  let assembly: SpeechAssembler | undefined
  const sentencesWithLosses: AssembledSpeech['sentencesWithLosses'][number][] = []
  const sentencesWithAdditions: AssembledSpeech['sentencesWithAdditions'][number][] = []
  await using file = await open(path, 'w')
  for await (const { text, samples, rate, lostShare, addedShare } of sentences) {
    assembly ??= new SpeechAssembler({ rate, pause })
    if (rate !== assembly.rate) {
      throw new MediaError(
        6401,
        `the voice engine changed its sample rate from ${assembly.rate} Hz to ${rate} Hz`,
      )
    }
    if (lostShare !== undefined) sentencesWithLosses.push({ text, lostShare })
    if (addedShare !== undefined) sentencesWithAdditions.push({ text, addedShare })
    await file.writeFile(assembly.add(text, samples))
    onSpoken(assembly.placed.length)
  }
  if (!assembly) throw new TypeError('there is no sentence')
  const { placed, seconds, rate } = assembly
  return { path, placed, seconds, rate, sentencesWithLosses, sentencesWithAdditions }
}

/** Default comment, which marks the file as AI-generated. */
const aiGeneratedComment = 'AI-generated speech in the voice of a recording (Reelwright)'

interface WriteSpeechOptions {
  readonly path: string
  readonly format: SpeechFormat
  readonly comment?: string
  readonly signal: AbortSignal
}

/** Raw mono sound: 32-bit floats, little-endian, in a file or generated until the signal reports that the encoder ended. */
type RawSpeech = (
  | { readonly path: string }
  | { readonly input: (ended: AbortSignal) => AsyncIterable<Uint8Array> }
) & {
  readonly rate: number
  readonly seconds: number
}

/** Timeout, ms: a base, and an addition per second of sound; about 50 seconds of sound are written per second. */
const [startMs, secondMs] = [60_000, 1000]

/** Codec options per format; 128 kbit/s is transparent for mono speech. */
const codecs = { wav: ['-c:a', 'pcm_s16le'], mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'] } as const
type SpeechFormat = keyof typeof codecs

/** Encodes speech as WAV or MP3, marked as AI-generated. */
export async function writeSpeech(
  speech: RawSpeech,
  { path, format, comment = aiGeneratedComment, signal }: WriteSpeechOptions,
): Promise<void> {
  const form = ['-f', 'f32le', '-ar', String(speech.rate), '-ac', '1']
  const [protocol, source] = 'path' in speech ? ['file', fileUrl(speech.path)] : ['pipe', 'pipe:0']
  const input = ['-protocol_whitelist', protocol, ...form, '-i', source]
  await runRaw({
    args: [...input, '-metadata', `comment=${comment}`, ...codecs[format], path],
    ...('input' in speech && { input: speech.input }),
    signal,
    timeoutMs: startMs + secondMs * speech.seconds,
  })
}
