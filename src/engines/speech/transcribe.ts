import { hasWords } from '../../media/speech/sentences.ts'
import { recognitionChunks, SpeechSpanDetector } from '../../media/speech/speech-spans.ts'
import {
  type RecognisedSegment,
  type RecognitionResult,
  speechRate,
  type TimeSpan,
} from '../../media/speech/speech-types.ts'
import { transcriptSimilarity } from '../../media/speech/transcript-similarity.ts'
import { replayable } from '../../media/audio/replayable.ts'
import { resample } from '../../media/audio/resample.ts'
import { decodeVoice } from '../ffmpeg/sound.ts'
import type { Recogniser, SpeechCallOptions } from './speech-engines.ts'
import { openVoiceActivityDetector, vadFrameSeconds } from './voice-activity.ts'

/** Recognised speech of one chunk of a recording. */
export interface TranscribedSegment extends RecognisedSegment {
  /** Share of all speech recognised so far, 0 to 1. */
  readonly progress: number
}

interface TranscribeFileOptions {
  readonly recogniser: Recogniser
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Contract language; detected by the recogniser if absent. */
  readonly language?: string | undefined
  /** Seconds that an earlier call has transcribed: chunks that start earlier are skipped. */
  readonly after?: number
  /** Silence that ends a chunk, seconds. Default: 2, which gives the recogniser most context. */
  readonly maxPause?: number
}

/**
 * Transcribes the speech in a file, chunk by chunk. A long file is decoded twice, for voice activity detection and for
 * recognition, so that memory use does not depend on its length. Silence is skipped.
 */
export async function* transcribeFile(
  path: string,
  options: TranscribeFileOptions,
): AsyncGenerator<TranscribedSegment> {
  const { recogniser, signal, language, after = 0 } = options
  const read = replayable(() => decodeVoice(path, { signal, timeoutMs: options.timeoutMs }))
  const pieces = await findSpeechChunks(read(), options)
  const total = pieces.reduce((sum, { start, end }) => sum + end - start, 0)
  const isDone = ({ start }: TimeSpan) => start < after
  let done = pieces.filter(isDone).reduce((sum, { start, end }) => sum + end - start, 0)
  const left = pieces.filter((piece) => !isDone(piece))
  for await (const segment of recogniseSpans(read(), left, { recogniser, signal, language })) {
    done += segment.span.end - segment.span.start
    yield { ...segment, progress: done / total }
  }
}

/** Recognises spans of a recording (mono, 16 kHz), in order and disjoint. */
export async function* recogniseSpans(
  recording: AsyncIterable<Float32Array>,
  spans: readonly TimeSpan[],
  { recogniser, signal, language }: Pick<TranscribeFileOptions, 'recogniser' | 'signal' | 'language'>,
): AsyncGenerator<RecognisedSegment> {
  for await (const { span, sound } of readChunks(recording, spans)) {
    const result = await recogniser.recognise(sound, { signal, ...(language !== undefined && { language }) })
    const words = result.words.map(({ text, start, end }) => ({
      text,
      start: span.start + start,
      end: span.start + end,
    }))
    yield { ...result, words, span }
  }
}

/** Chunks of speech that fit into one request of the recogniser. */
async function findSpeechChunks(
  recording: AsyncIterable<Float32Array>,
  { recogniser, signal, maxPause }: TranscribeFileOptions,
): Promise<TimeSpan[]> {
  await using finder = await openVoiceActivityDetector(signal)
  const spans = new SpeechSpanDetector(vadFrameSeconds)
  const found: TimeSpan[] = []
  const probabilities: number[] = []
  for await (const probability of finder.probabilities(recording, signal)) {
    // A few megabytes for six hours.
    probabilities.push(probability)
    const span = spans.add(probability)
    if (span) found.push(span)
  }
  found.push(...spans.end())
  const longest = recogniser.maxSeconds
  return recognitionChunks(found, { longest, frame: vadFrameSeconds, probabilities, maxPause })
}

/** Yields the samples of each chunk, in order. */
async function* readChunks(
  recording: AsyncIterable<Float32Array>,
  pieces: readonly TimeSpan[],
): AsyncGenerator<{ readonly span: TimeSpan; readonly sound: Float32Array }> {
  const pending = pieces.map((span) => ({
    span,
    from: Math.round(span.start * speechRate),
    to: Math.round(span.end * speechRate),
  }))
  let at = 0
  let filled = 0
  let sound = new Float32Array(0)
  for await (const chunk of recording) {
    for (;;) {
      const next = pending[0]
      if (!next) return
      if (filled === 0) sound = new Float32Array(next.to - next.from)
      const part = chunk.subarray(Math.max(0, next.from + filled - at), Math.max(0, next.to - at))
      sound.set(part, filled)
      filled += part.length
      if (filled < sound.length) break
      yield { span: next.span, sound }
      pending.shift()
      filled = 0
    }
    at += chunk.length
  }
  // The last VAD frame was padded with silence.
  const last = pending[0]
  if (last && filled > 0) yield { span: last.span, sound: sound.subarray(0, filled) }
}

/** Sample rate of the second attempt, Hz: 3 % slower. Reliable results stay the same, guesses change. */
const slowedRate = Math.round(0.97 * speechRate)

/**
 * Recognises sound and always returns a confidence, 0 to 1. If the engine reports none, the sound is recognised again,
 * slightly slower, and the similarity of both texts is the confidence. Text without words, such as `♪`, has 0.
 */
export async function recogniseWithConfidence(
  recogniser: Recogniser,
  sound: Float32Array,
  options: SpeechCallOptions & { readonly language: string },
): Promise<RecognitionResult & { readonly confidence: number }> {
  const first = await recogniser.recognise(sound, options)
  const { text, confidence } = first
  if (!hasWords(text)) return { ...first, confidence: 0 }
  if (confidence !== null) return { ...first, confidence }
  const again = resample({ samples: sound, rate: slowedRate }, speechRate)
  const second = await recogniser.recognise(again, options)
  return { ...first, confidence: transcriptSimilarity(text, second.text) }
}
