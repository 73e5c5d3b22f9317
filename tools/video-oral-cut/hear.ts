import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../src/contract/bounded-json.ts'
import { spokenLanguage } from '../../src/contract/languages.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { decodeVoice } from '../../src/engines/ffmpeg/sound.ts'
import { selectRecogniser } from '../../src/engines/speech/select-engine.ts'
import { type TranscribedSegment, transcribeFile } from '../../src/engines/speech/transcribe.ts'
import type { SpeechLevels } from '../../src/media/cut/edges.ts'
import { LevelTrack } from '../../src/media/cut/level-track.ts'
import { mapSpeech } from '../../src/media/cut/speech-map.ts'
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

/** Recognises a recording and measures its levels. Chunks that an earlier attempt recognised are not repeated. */
export async function hearRecording(
  file: StagedFile,
  { la }: Pick<OralCutInput, 'la'>,
  { signal, steps, progress }: Pick<RunContext, 'signal' | 'steps' | 'progress'>,
): Promise<HeardRecording> {
  const limit = timeoutMs((file.facts?.duration_ms ?? 0) / 1000)
  const language = spokenLanguage(la)
  await using recogniser = await (await selectRecogniser(language)).open(signal)
  const store = join(steps, `heard-${recogniser.name.replaceAll(/[^\w.-]/g, '_')}.jsonl`)
  const segments = await readSegments(store)
  const after = segments.at(-1)?.span.end ?? 0
  const options = { recogniser, signal, language, timeoutMs: limit, after, maxPause: takePauseSeconds }
  for await (const segment of transcribeFile(file.path, options)) {
    segments.push(segment)
    await appendFile(store, `${JSON.stringify(segment)}\n`)
    progress(100 * segment.progress)
  }
  return {
    transcript: transcriptFromRecognition(segments),
    levels: await measureLevels(file.path, { signal, timeoutMs: limit }),
    recogniser: recogniser.name,
  }
}

/** Reads finished segments. A last line that was being written when the process ended is ignored. */
async function readSegments(path: string): Promise<TranscribedSegment[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => parseJson(line) as TranscribedSegment)
}

async function measureLevels(
  path: string,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<SpeechLevels> {
  const track = new LevelTrack()
  for await (const samples of decodeVoice(path, options)) track.add(samples)
  const curve = track.finish()
  return { curve, map: mapSpeech(curve) }
}
