import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { measureMouthMotion } from '../../src/engines/vision/measure-mouth-motion.ts'
import { insertWords } from '../../src/media/cut/insert-words.ts'
import { minMoving, minSeen, speakerVisibility } from '../../src/media/cut/speaker-visibility.ts'
import { speechParts } from '../../src/media/cut/speech-parts.ts'
import {
  compareWithSpeech,
  joinSpans,
  longestWord,
  type MouthSample,
  type SuspectOmission,
  visualSpeech,
} from '../../src/media/cut/visual-speech.ts'
import type { TimedWord, TimeSpan } from '../../src/media/speech/speech-types.ts'
import {
  type Transcript,
  transcriptFromRecognition,
  transcriptFromWords,
} from '../../src/media/speech/transcript.ts'
import { joinWords } from '../../src/media/speech/words.ts'
import { type HeardRecording, openHearing, recogniseParts } from '../../src/engines/cutting/hear-recording.ts'
import type { OralCutInput } from './plan.ts'
import { openStoredLines } from '../../src/engines/cutting/stored-lines.ts'

/** What the picture adds to what was heard. */
export interface VisualAssist {
  /** The recording with the recovered words. */
  readonly heard: HeardRecording
  readonly omissions: readonly (SuspectOmission & { readonly recovered: boolean })[]
  readonly recovered: readonly (TimeSpan & { readonly text: string })[]
  /** Why the picture shows too little of the speaker; null if it shows enough. */
  readonly degraded: string | null
}

type AssistContext = Pick<RunContext, 'signal' | 'steps' | 'threads' | 'progress'>

/** Recognised around an omission, seconds: the recognised times of its neighbours are up to 0.15 s inexact. */
const margin = 0.25

/** Share of the progress taken by the analysis of the picture, percent. */
const picturePercent = 95

/** Samples that are stored together. */
const batchSize = 64

/**
 * Finds speech that is seen and heard but has no words, recognises it again alone, and adds its words. If the picture
 * cannot be analysed, nothing is found there; only an abort is thrown. What an earlier attempt measured or recognised is
 * not repeated.
 */
export async function assistVisually(
  heard: HeardRecording,
  file: StagedFile,
  { la, ...context }: AssistContext & Pick<OralCutInput, 'la'>,
): Promise<VisualAssist> {
  const { samples, failure } = await measureMouth(file, {
    ...context,
    progress: (percent) => context.progress((percent * picturePercent) / 100),
  })
  const visual = visualSpeech(samples)
  const { voices } = heard.levels.map
  const { words, timed } = heard.transcript
  const suspects = compareWithSpeech(visual, { words, voices })
  const spans = spansToRecognise(suspects, words)
  const again = await recogniseAgain(file, spans, { levels: heard.levels, la, ...context })
  const { inserted, words: all } = insertWords(words, again.words)
  const recovered = groupBySuspect(inserted, suspects)
  context.progress(100)
  return {
    heard:
      inserted.length > 0 ? { ...heard, transcript: transcriptFromWords(all, timed && again.timed) } : heard,
    omissions: suspects.map((suspect, index) => ({
      ...suspect,
      recovered: (recovered[index] ?? []).length > 0,
    })),
    recovered: recovered.flatMap((group) => {
      const [first, last] = [group[0], group.at(-1)]
      if (!first || !last) return []
      return [{ start: first.start, end: last.end, text: joinWords(group.map(({ text }) => text)) }]
    }),
    degraded: failure ?? describeVisibility(samples, { voices, visual }),
  }
}

/** Measures the motion of the mouth as far as possible. Failures are returned, an abort is thrown. */
async function measureMouth(
  { path, facts }: StagedFile,
  { signal, steps, threads, progress }: AssistContext,
): Promise<{ readonly samples: readonly MouthSample[]; readonly failure: string | null }> {
  // An empty batch follows the last one.
  const store = await openStoredLines<readonly MouthSample[]>(join(steps, 'mouth-motion.jsonl'))
  const samples = store.items.flat()
  if (!facts || store.items.at(-1)?.length === 0) return { samples, failure: null }
  let batch: MouthSample[] = []
  try {
    const after = samples.at(-1)?.end ?? 0
    for await (const sample of measureMouthMotion(path, facts, {
      ...{ threads, signal, after, onProgress: progress },
    })) {
      samples.push(sample)
      batch.push(sample)
      if (batch.length < batchSize) continue
      await store.add(batch)
      batch = []
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    const at = samples.at(-1)?.end
    const extent = at === undefined ? 'was not analysed' : `was analysed only until ${at.toFixed(1)} s`
    return { samples, failure: `the picture ${extent}: ${error.message}` }
  }
  if (batch.length > 0) await store.add(batch)
  await store.add([])
  return { samples, failure: null }
}

/** Returns why the picture shows too little of the speaker, or null. */
function describeVisibility(
  samples: readonly MouthSample[],
  spans: Parameters<typeof speakerVisibility>[1],
): string | null {
  const { seen, moving } = speakerVisibility(samples, spans)
  const percent = (share: number) => `${Math.floor(100 * share)} %`
  if (seen < minSeen) return `a face is large enough to see its mouth in only ${percent(seen)} of the speech`
  if (moving < minMoving)
    return `the mouth moves in only ${percent(moving)} of the speech, so the speaker is probably not in the picture`
  return null
}

/** Omissions with a margin, and with the whole words that were stretched over them; disjoint. */
function spansToRecognise(suspects: readonly TimeSpan[], words: readonly TimedWord[]): TimeSpan[] {
  const long = words.filter((word) => word.end - word.start > longestWord)
  const spans = suspects.map(({ start, end }) => {
    const stretched = long.filter((word) => word.start < end && word.end > start)
    return {
      start: Math.max(0, Math.min(start - margin, ...stretched.map((word) => word.start))),
      end: Math.max(end + margin, ...stretched.map((word) => word.end)),
    }
  })
  return joinSpans(spans, 0)
}

/** Recognises spans alone, divided only where they are too long for the recogniser. */
async function recogniseAgain(
  file: StagedFile,
  spans: readonly TimeSpan[],
  { levels, la, ...context }: AssistContext & Pick<OralCutInput, 'la'> & Pick<HeardRecording, 'levels'>,
): Promise<Pick<Transcript, 'words' | 'timed'>> {
  if (spans.length === 0) return { words: [], timed: true }
  await using hearing = await openHearing(file, { la }, context)
  const { maxSeconds } = hearing.recogniser
  const parts = spans.flatMap((span) =>
    span.end - span.start <= maxSeconds ? [span] : speechParts(levels, span, maxSeconds),
  )
  return transcriptFromRecognition(await recogniseParts(hearing, parts, { purpose: 'recovered' }))
}

/** Returns the words of each suspect: those to which it is nearest. */
function groupBySuspect(words: readonly TimedWord[], suspects: readonly TimeSpan[]): TimedWord[][] {
  const groups = suspects.map((): TimedWord[] => [])
  for (const word of words) {
    const middle = (word.start + word.end) / 2
    const distances = suspects.map(({ start, end }) => Math.max(start - middle, middle - end, 0))
    groups[distances.indexOf(Math.min(...distances))]?.push(word)
  }
  return groups
}
