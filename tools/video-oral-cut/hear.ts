import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../src/contract/bounded-json.ts'
import { spokenLanguage } from '../../src/contract/languages.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { decodeVoice } from '../../src/engines/ffmpeg/sound.ts'
import { selectRecogniser } from '../../src/engines/speech/select-engine.ts'
import type { Recogniser } from '../../src/engines/speech/speech-engines.ts'
import { recogniseSpans, transcribeFile } from '../../src/engines/speech/transcribe.ts'
import { doubtfulSpans, type RepeatedSpan, replaceDoubtful } from '../../src/media/cut/doubtful-speech.ts'
import type { SpeechLevels } from '../../src/media/cut/edges.ts'
import { LevelTrack } from '../../src/media/cut/level-track.ts'
import { mapSpeech } from '../../src/media/cut/speech-map.ts'
import { speechParts } from '../../src/media/cut/speech-parts.ts'
import type { RecognisedSegment, TimeSpan } from '../../src/media/speech/speech-types.ts'
import { type Transcript, transcriptFromRecognition } from '../../src/media/speech/transcript.ts'
import type { OralCutInput } from './plan.ts'

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
export const timeoutMs = (seconds: number) => (600 + 4 * seconds) * 1000

/** Share of the progress taken by the first recognition, percent. */
const firstPassPercent = 90

/** How a recording is heard. */
interface Hearing {
  readonly path: string
  readonly recogniser: Recogniser
  /** Contract language. */
  readonly language: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly steps: string
  readonly progress: (percent: number) => void
}

/**
 * Recognises a recording and measures its levels. Stretches with too few words for their length are recognised again by
 * themselves. What an earlier attempt recognised is not repeated.
 */
export async function hearRecording(
  file: StagedFile,
  { la }: Pick<OralCutInput, 'la'>,
  { signal, steps, progress }: Pick<RunContext, 'signal' | 'steps' | 'progress'>,
): Promise<HeardRecording> {
  const language = spokenLanguage(la)
  await using recogniser = await (await selectRecogniser(language)).open(signal)
  const hearing = {
    ...{ path: file.path, recogniser, language, signal, steps, progress },
    timeoutMs: timeoutMs((file.facts?.duration_ms ?? 0) / 1000),
  }
  const segments = await recogniseAll(hearing)
  const levels = await measureLevels(hearing)
  const repeated = await recogniseAgain(hearing, doubtfulSpans(segments, levels), levels)
  return {
    transcript: transcriptFromRecognition(replaceDoubtful(segments, repeated)),
    levels,
    recogniser: recogniser.name,
  }
}

/** Recognises all speech. */
async function recogniseAll(hearing: Hearing): Promise<RecognisedSegment[]> {
  const store = storePath(hearing, 'heard')
  const segments = await readSegments(store)
  const after = segments.at(-1)?.span.end ?? 0
  for await (const { progress, ...segment } of transcribeFile(hearing.path, {
    ...{ ...hearing, after, maxPause: takePauseSeconds },
  })) {
    segments.push(segment)
    await appendFile(store, `${JSON.stringify(segment)}\n`)
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
  const { path, recogniser, signal, language } = hearing
  const store = storePath(hearing, 'repeated')
  const segments = await readSegments(store)
  const after = segments.at(-1)?.span.end ?? 0
  const parts = spans.flatMap((span) => speechParts(levels, span, recogniser.maxSeconds))
  const left = parts.filter(({ start }) => start >= after)
  if (left.length > 0) {
    for await (const segment of recogniseSpans(decodeVoice(path, hearing), left, {
      ...{ recogniser, signal, language },
    })) {
      segments.push(segment)
      await appendFile(store, `${JSON.stringify(segment)}\n`)
      hearing.progress(firstPassPercent + ((100 - firstPassPercent) * segments.length) / parts.length)
    }
  }
  return spans.map((span) => ({
    span,
    segments: segments.filter((one) => one.span.start < span.end && one.span.end > span.start),
  }))
}

/** Finished work of a recogniser, for another attempt. */
function storePath({ steps, recogniser: { name } }: Hearing, kind: 'heard' | 'repeated'): string {
  return join(steps, `${kind}-${name.replaceAll(/[^\w.-]/g, '_')}.jsonl`)
}

/** Reads finished segments. A last line that was being written when the process ended is removed. */
async function readSegments(path: string): Promise<RecognisedSegment[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text.split('\n').slice(0, -1)
  if (!text.endsWith('\n')) await writeFile(path, lines.map((line) => `${line}\n`).join(''))
  return lines.map((line) => parseJson(line) as RecognisedSegment)
}

async function measureLevels({ path, signal, timeoutMs: limit }: Hearing): Promise<SpeechLevels> {
  const track = new LevelTrack()
  for await (const samples of decodeVoice(path, { signal, timeoutMs: limit })) track.add(samples)
  const curve = track.finish()
  return { curve, map: mapSpeech(curve) }
}
