import { LevelTrack } from '../../media/cut/level-track.ts'
import { mapSpeech } from '../../media/cut/speech-map.ts'
import { speechParts } from '../../media/cut/speech-parts.ts'
import { type RecognisedSegment, speechRate, type TimeSpan } from '../../media/speech/speech-types.ts'
import { readVoice } from '../ffmpeg/sound.ts'
import type { Recogniser } from './speech-engines.ts'
import { recogniseSpans } from './transcribe.ts'

export interface RecogniseSpanOptions {
  readonly recogniser: Recogniser
  readonly signal: AbortSignal
  /** Time limit of decoding, ms. */
  readonly timeoutMs: number
  /** Contract language; detected by the recogniser if absent. */
  readonly language?: string | undefined
}

/** Sound around a span that the noise floor is measured with, seconds. */
const contextSeconds = 6

/**
 * Recognises the speech in a span of a file's sound, seconds, without what is around it. The span is divided at its inner
 * pauses, because a recogniser that hears a repetition together with what it repeats may return both once. Returns the
 * parts with words, in order, with times of the file. Empty if nothing is spoken.
 */
export async function recogniseSpan(
  path: string,
  span: TimeSpan,
  { recogniser, language, signal, timeoutMs }: RecogniseSpanOptions,
): Promise<RecognisedSegment[]> {
  const from = Math.max(0, span.start - contextSeconds)
  const seconds = span.end + contextSeconds - from
  const sound = await readVoice(path, { signal, timeoutMs, from, seconds })
  const track = new LevelTrack()
  track.add(sound)
  const curve = track.finish()
  const local = { start: span.start - from, end: Math.min(span.end - from, sound.length / speechRate) }
  const parts = speechParts({ curve, map: mapSpeech(curve) }, local, recogniser.maxSeconds)
  const segments: RecognisedSegment[] = []
  for await (const segment of recogniseSpans(once(sound), parts, { recogniser, signal, language })) {
    if (segment.words.length > 0) segments.push(shiftSegment(segment, from))
  }
  return segments
}

async function* once(sound: Float32Array): AsyncGenerator<Float32Array> {
  yield await Promise.resolve(sound)
}

function shiftSegment(segment: RecognisedSegment, seconds: number): RecognisedSegment {
  const shift = <Span extends TimeSpan>(span: Span) => ({
    ...span,
    ...{ start: span.start + seconds, end: span.end + seconds },
  })
  return { ...segment, span: shift(segment.span), words: segment.words.map(shift) }
}
