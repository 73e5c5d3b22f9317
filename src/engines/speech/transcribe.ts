import { hasWords } from '../../media/speech/sentences.ts'
import { recognitionChunks, SpeechSpanDetector } from '../../media/speech/speech-spans.ts'
import { type RecognitionResult, speechRate, type TimeSpan } from '../../media/speech/speech-types.ts'
import { transcriptSimilarity } from '../../media/speech/transcript-similarity.ts'
import { resample } from '../ffmpeg/resample.ts'
import { decodeVoice } from '../ffmpeg/voice-sound.ts'
import type { Recogniser, SpeechCallOptions } from './speech-engines.ts'
import { openVoiceActivityDetector, vadFrameSeconds } from './voice-activity.ts'

/** What was said in a part of a recording; times are of the recording. */
export interface TranscribedSegment extends RecognitionResult {
  readonly span: TimeSpan
  /** Share of all speech that is recognised with it, 0 to 1. */
  readonly progress: number
}

interface TranscribeFileOptions {
  readonly recogniser: Recogniser
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** As the contract writes it; left out, the recogniser finds it. */
  readonly language?: string
  /** Seconds up to which an earlier call came: parts that begin before are not told again. */
  readonly after?: number
}

/**
 * Recognises the speech in a file, part by part in their order: first all of it is heard for where somebody speaks,
 * then read again for what is said, so that no more than a part is in memory. Silence is no part.
 */
export async function* transcribeFile(
  path: string,
  wish: TranscribeFileOptions,
): AsyncGenerator<TranscribedSegment> {
  const { recogniser, signal, language, after = 0 } = wish
  const pieces = await findSpeechChunks(path, wish)
  const total = pieces.reduce((sum, { start, end }) => sum + end - start, 0)
  let done = 0
  for await (const { span, sound } of readChunks(path, { ...wish, pieces })) {
    done += span.end - span.start
    if (span.start < after) continue
    const told = await recogniser.recognise(sound, { signal, ...(language !== undefined && { language }) })
    const words = told.words.map(({ text, start, end }) => ({
      text,
      start: span.start + start,
      end: span.start + end,
    }))
    yield { ...told, words, span, progress: done / total }
  }
}

/** Parts of a recording that a recogniser takes at once. */
async function findSpeechChunks(
  path: string,
  { recogniser, signal, timeoutMs }: TranscribeFileOptions,
): Promise<TimeSpan[]> {
  await using finder = await openVoiceActivityDetector(signal)
  const spans = new SpeechSpanDetector(vadFrameSeconds)
  const found: TimeSpan[] = []
  const probabilities: number[] = []
  for await (const probability of finder.probabilities(decodeVoice(path, { signal, timeoutMs }), signal)) {
    // Of six hours some megabytes.
    probabilities.push(probability)
    const span = spans.add(probability)
    if (span) found.push(span)
  }
  found.push(...spans.end())
  return recognitionChunks(found, { longest: recogniser.longest, frame: vadFrameSeconds, probabilities })
}

/** The sound of parts of a recording, one after another. */
async function* readChunks(
  path: string,
  { pieces, signal, timeoutMs }: TranscribeFileOptions & { readonly pieces: readonly TimeSpan[] },
): AsyncGenerator<{ readonly span: TimeSpan; readonly sound: Float32Array }> {
  const waiting = pieces.map((span) => ({
    span,
    from: Math.round(span.start * speechRate),
    to: Math.round(span.end * speechRate),
  }))
  let at = 0
  let filled = 0
  let sound = new Float32Array(0)
  for await (const chunk of decodeVoice(path, { signal, timeoutMs })) {
    for (;;) {
      const next = waiting[0]
      if (!next) return
      if (filled === 0) sound = new Float32Array(next.to - next.from)
      const part = chunk.subarray(Math.max(0, next.from + filled - at), Math.max(0, next.to - at))
      sound.set(part, filled)
      filled += part.length
      if (filled < sound.length) break
      yield { span: next.span, sound }
      waiting.shift()
      filled = 0
    }
    at += chunk.length
  }
  // The last frame was filled up with silence.
  const last = waiting[0]
  if (last && filled > 0) yield { span: last.span, sound: sound.subarray(0, filled) }
}

/** Rate as which sound is heard again, Hz: 3 % slower. What is understood stays the same, what is guessed does not. */
const slowedRate = Math.round(0.97 * speechRate)

/**
 * Recognises sound, with a confidence in any case: where the engine tells none it hears the sound again, a little
 * slower, and how much both say the same is the confidence. Of what has no words, as `♪`, there is none.
 */
export async function recogniseWithConfidence(
  recogniser: Recogniser,
  sound: Float32Array,
  wish: SpeechCallOptions & { readonly language: string },
): Promise<RecognitionResult & { readonly confidence: number }> {
  const first = await recogniser.recognise(sound, wish)
  const { text, confidence } = first
  if (!hasWords(text)) return { ...first, confidence: 0 }
  if (confidence !== null) return { ...first, confidence }
  const again = await resample({ samples: sound, rate: slowedRate }, speechRate, wish)
  const second = await recogniser.recognise(again, wish)
  return { ...first, confidence: transcriptSimilarity(text, second.text) }
}
