import { join } from 'node:path'
import { type DubbingLanguage, type RecognitionLanguage, spokenLanguage } from '../../contract/languages.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { decodeVoice } from '../ffmpeg/sound.ts'
import { selectRecogniser } from '../speech/select-engine.ts'
import type { Recogniser } from '../speech/speech-engines.ts'
import { recogniseSpans, transcribeFile } from '../speech/transcribe.ts'
import { doubtfulSpans, type RepeatedSpan, replaceDoubtful } from '../../media/cut/doubtful-speech.ts'
import type { SpeechLevels } from '../../media/cut/edges.ts'
import { LevelTrack } from '../../media/cut/level-track.ts'
import { mapSpeech } from '../../media/cut/speech-map.ts'
import { speechParts } from '../../media/cut/speech-parts.ts'
import type { RecognisedSegment, TimeSpan } from '../../media/speech/speech-types.ts'
import { type Transcript, transcriptFromRecognition } from '../../media/speech/transcript.ts'
import { openStoredLines } from './stored-lines.ts'

/** What is heard in a recording: its words, and the levels by which it is cut. */
export interface HeardRecording {
  readonly transcript: Transcript
  readonly levels: SpeechLevels
  /** Name of the recogniser. */
  readonly recogniser: string
}

/** Silence at which recognition is divided, seconds: a recogniser that hears a retake with its take may merge both. */
const takePauseSeconds = 0.35

/** Time limit of reading the sound: ten minutes and four times its length, ms. */
export const hearingTimeoutMs = (seconds: number) => (600 + 4 * seconds) * 1000

/** Share of the progress taken by the first recognition, percent. */
const firstPassPercent = 90

/** How a recording is heard. */
interface Hearing extends Pick<RunContext, 'signal' | 'steps' | 'progress'>, AsyncDisposable {
  readonly path: string
  readonly recogniser: Recogniser
  /** Contract language. */
  readonly language: string
  readonly timeoutMs: number
}

/** What is known of a recording before it is heard. */
interface SpokenFootage {
  /** Spoken language. */
  readonly la: RecognitionLanguage | DubbingLanguage
}

/** Opens the recogniser of a recording. */
export async function openHearing(
  { path, facts }: StagedFile,
  { la }: SpokenFootage,
  { signal, steps, progress }: Pick<RunContext, 'signal' | 'steps' | 'progress'>,
): Promise<Hearing> {
  const language = spokenLanguage(la)
  const recogniser = await (await selectRecogniser(language)).open(signal)
  return {
    ...{ path, recogniser, language, signal, steps, progress },
    timeoutMs: hearingTimeoutMs((facts?.duration_ms ?? 0) / 1000),
    [Symbol.asyncDispose]: () => recogniser[Symbol.asyncDispose](),
  }
}

/**
 * Recognises a recording and measures its levels. Stretches with too few words for their length are recognised again
 * separately. What an earlier attempt recognised is not repeated.
 */
export async function hearRecording(
  file: StagedFile,
  input: SpokenFootage,
  context: Pick<RunContext, 'signal' | 'steps' | 'progress'>,
): Promise<HeardRecording> {
  await using hearing = await openHearing(file, input, context)
  const segments = await recogniseAll(hearing)
  const levels = await measureLevels(file, hearing.signal)
  const repeated = await recogniseAgain(hearing, doubtfulSpans(segments, levels), levels)
  return {
    transcript: transcriptFromRecognition(replaceDoubtful(segments, repeated)),
    levels,
    recogniser: hearing.recogniser.name,
  }
}

/** Recognises all speech. */
async function recogniseAll(hearing: Hearing): Promise<RecognisedSegment[]> {
  const store = await openStoredLines<RecognisedSegment>(storePath(hearing, 'heard'))
  const segments = [...store.items]
  const after = segments.at(-1)?.span.end ?? 0
  for await (const { progress, ...segment } of transcribeFile(hearing.path, {
    ...{ ...hearing, after, maxPause: takePauseSeconds },
  })) {
    segments.push(segment)
    await store.add(segment)
    hearing.progress(firstPassPercent * progress)
  }
  return segments
}

/** Recognises spans again, each divided at its pauses. */
async function recogniseAgain(
  hearing: Hearing,
  spans: readonly TimeSpan[],
  levels: SpeechLevels,
): Promise<RepeatedSpan[]> {
  const parts = spans.flatMap((span) => speechParts(levels, span, hearing.recogniser.maxSeconds))
  const segments = await recogniseParts(hearing, parts, {
    purpose: 'repeated',
    onPart: (count) => hearing.progress(firstPassPercent + ((100 - firstPassPercent) * count) / parts.length),
  })
  return spans.map((span) => ({
    span,
    segments: segments.filter((one) => one.span.start < span.end && one.span.end > span.start),
  }))
}

interface RecognisePartsOptions {
  readonly purpose: 'repeated' | 'recovered'
  /** Called with the number of finished parts. */
  readonly onPart?: (count: number) => void
}

/**
 * Recognises parts of a recording, each alone; they are in order and disjoint. What an earlier attempt recognised for
 * the same purpose is not repeated.
 */
export async function recogniseParts(
  hearing: Hearing,
  parts: readonly TimeSpan[],
  { purpose, onPart = () => undefined }: RecognisePartsOptions,
): Promise<RecognisedSegment[]> {
  const { path, recogniser, signal, language } = hearing
  const store = await openStoredLines<RecognisedSegment>(storePath(hearing, purpose))
  const segments = [...store.items]
  const after = segments.at(-1)?.span.end ?? 0
  const left = parts.filter(({ start }) => start >= after)
  if (left.length === 0) return segments
  const sound = decodeVoice(path, hearing)
  for await (const segment of recogniseSpans(sound, left, { recogniser, signal, language })) {
    segments.push(segment)
    await store.add(segment)
    onPart(segments.length)
  }
  return segments
}

/** Finished work of a recogniser, for another attempt. */
function storePath(
  { steps, recogniser: { name } }: Hearing,
  purpose: 'heard' | 'repeated' | 'recovered',
): string {
  return join(steps, `${purpose}-${name.replaceAll(/[^\w.-]/g, '_')}.jsonl`)
}

/** Measures the levels of a recording, and finds its speech and breaths. A file without sound has none. */
export async function measureLevels({ path, facts }: StagedFile, signal: AbortSignal): Promise<SpeechLevels> {
  const track = new LevelTrack()
  if (facts && facts.audio.length > 0) {
    const limit = hearingTimeoutMs(facts.duration_ms / 1000)
    for await (const samples of decodeVoice(path, { signal, timeoutMs: limit })) track.add(samples)
  }
  const curve = track.finish()
  return { curve, map: mapSpeech(curve) }
}
