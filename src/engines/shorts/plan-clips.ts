import { MediaError } from '../../contract/errors.ts'
import type { SubtitleLanguage } from '../../contract/languages.ts'
import type { MediaFacts, Rational } from '../../contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { constantRate, hertz, pictureEnd } from '../../media/frame-rate.ts'
import type { FrameSpan } from '../../media/particle/frame-spans.ts'
import type { ClipWord } from '../../media/shorts/clip-captions.ts'
import { type ClipCut, type ClipSource, cutClip, withoutSharedFrames } from '../../media/shorts/clip-cut.ts'
import { type ClipMetadata, describeByText } from '../../media/shorts/clip-description.ts'
import { type LengthBounds, lengthBounds, type LengthPreference } from '../../media/shorts/clip-lengths.ts'
import { type ClipUnit, clipUnits } from '../../media/shorts/clip-units.ts'
import type { SpeechLevels } from '../../media/cut/edges.ts'
import type { IndexRange } from '../../media/speech/align.ts'
import type { TimeSpan } from '../../media/speech/speech-types.ts'
import { distinctiveWords, rankUnits, unitLoudness } from '../../media/shorts/rank-units.ts'
import { punctuateWords, type Transcript } from '../../media/speech/transcript.ts'
import { joinWords } from '../../media/speech/words.ts'
import { editableRate } from '../../media/timeline/project/timecode.ts'
import { outputTimes } from '../../media/cut/retime.ts'
import { languageNotes } from '../cutting/footage-notes.ts'
import { isSameLanguage } from '../translation/languages.ts'
import { type DescribedClip, describeClips } from './describe-clips.ts'
import { openClipModel } from './open-model.ts'
import { readTranscript, type SpokenRequest, transcriptUntil } from './read-transcript.ts'
import { selectClips } from './select-clips.ts'

/** What clips of a recording are wanted. */
export interface PlanClipsRequest extends SpokenRequest {
  /** Language of titles and summaries. */
  readonly outputLanguage: SubtitleLanguage
  /** What the clips should be about. */
  readonly topic?: string | undefined
  readonly jumpCut: boolean
  readonly lengths: { readonly preference: LengthPreference; readonly maxSeconds: number }
}

/** A clip of a recording. */
export interface PlannedClip {
  /** From 1. */
  readonly index: number
  /** Kept source frames at the rate of the plan, ascending and apart. */
  readonly ranges: readonly FrameSpan[]
  readonly frames: number
  /** Kept words with their punctuation; times are seconds of the recording. */
  readonly words: readonly ClipWord[]
  readonly text: string
  /** Scores are 0 to 10, in steps of 0.1. */
  readonly metadata: ClipMetadata & { readonly score: number }
}

export interface PlannedClips {
  /** In the order of the recording; they do not overlap. */
  readonly clips: readonly PlannedClip[]
  /** Rate of the frames: of the recording, as editors have it. */
  readonly rate: Rational
  /** What is said in the recording: all words in order, kept or not, and its levels. */
  readonly heard: { readonly words: readonly TimeSpan[]; readonly levels: SpeechLevels }
  readonly counts: {
    /** Sentences, or groups of short ones. */
    readonly unit_count: number
    /** Those that the clips consist of, before jump cuts; without those that are left out because a clip is too long. */
    readonly selected_count: number
    readonly clip_count: number
    /** Whether jump cuts removed anything. */
    readonly jumpcut_used: boolean
  }
  /** Why a language model did not rank or describe all clips. */
  readonly degraded?: string
  readonly notes: readonly string[]
}

type PlanContext = Pick<RunContext, 'signal' | 'steps' | 'askTask' | 'progress'>

/** Share of the progress taken by the transcript, percent: recognised, or given. */
const transcriptPercent = { recognised: 80, given: 10 }

/** Share of the progress after the selection, percent. */
const selectedPercent = 90

/**
 * Selects clips of a recording, describes them, and plans which frames they keep. What an earlier attempt recognised or
 * asked is not repeated. Throws 6016 if nothing can be selected: no sentence before the end of the picture, or none that
 * fits the longest clip.
 */
export async function planClips(
  file: StagedFile,
  request: PlanClipsRequest,
  context: PlanContext,
): Promise<PlannedClips> {
  const { signal, progress } = context
  const percent = request.stt || request.subtitles ? transcriptPercent.given : transcriptPercent.recognised
  const heard = await readTranscript(file, request, {
    ...context,
    progress: (share) => progress((share * percent) / 100),
  })
  progress(percent)
  const { facts } = file
  if (!facts?.video) throw new MediaError(6014, `file_id: ${file.name} has no picture`)
  const bounds = selectionBounds(request)
  const source = clipSource(heard, { facts, maxSeconds: bounds.max })
  if (source.units.length === 0) throw nothingSaid(request)
  await using opened = await openClipModel(context)
  const { model } = opened
  const { language, outputLanguage, topic } = request
  const units = request.jumpCut ? compressedUnits(source) : source.units
  const selection = await selectClips(units, {
    ...{ model, signal, topic, bounds },
    ranks: rankUnits(source.units, {
      ...{ language, topic },
      ...(facts.audio.length > 0 && { loudness: unitLoudness(source.units, source.levels.curve) }),
    }),
    onShare: (share) => progress(percent + (selectedPercent - percent) * share),
  })
  if (selection.clips.length === 0) throw noneFits(units, request)
  const fitting = selection.clips.map((clip) => ({ ...clip, units: fitUnits(source, clip.units, request) }))
  const described = await describeClips(fitting, units, { model, signal, outputLanguage })
  progress(100)
  const cuts = withoutSharedFrames(described.map((clip) => cutWithin(source, clip, { bounds, request })))
  const words = sentenceWords(source.transcript)
  const describeAlone = (clip: DescribedClip, text: string) =>
    describeByText(text, distinctiveWords(units, clip.units, { language, count: 5 }))
  const clips = described.map((clip, index) =>
    plannedClip(clip, { index, words, cut: cuts[index], describeAlone }),
  )
  const degraded = degradedReason(described, { selection: selection.degraded, failure: opened.failure() })
  return {
    ...{ clips, rate: source.rate },
    heard: { words: source.transcript.words, levels: source.levels },
    counts: {
      unit_count: units.length,
      selected_count: described.reduce((sum, { units: { from, to } }) => sum + to - from, 0),
      clip_count: clips.length,
      jumpcut_used: request.jumpCut && cuts.some(({ isCompressed }) => isCompressed),
    },
    ...(degraded !== undefined && { degraded }),
    notes: [...selection.notes, ...remarks(source.transcript, request, degraded)],
  }
}

/** Room for the lead-in and the rounding of both ends to frames, seconds. */
const edgeRoom = 0.15

/** Lengths of the speech of a clip. */
function selectionBounds({ lengths: { preference, maxSeconds } }: PlanClipsRequest): LengthBounds {
  const { min, max } = lengthBounds(preference, maxSeconds)
  return { min, max: max - edgeRoom }
}

function clipSource(
  { transcript: whole, levels }: Pick<ClipSource, 'transcript' | 'levels'>,
  { facts, maxSeconds }: { readonly facts: MediaFacts; readonly maxSeconds: number },
): ClipSource {
  const { video, duration_ms, cut_off_ms = Infinity } = facts
  const end = Math.min(video ? pictureEnd(video) : Infinity, duration_ms / 1000, cut_off_ms / 1000)
  const rate = editableRate(video ? constantRate(video) : { num: 30, den: 1 })
  const transcript = transcriptUntil(whole, end)
  return {
    ...{ transcript, levels, rate, units: clipUnits(transcript, maxSeconds) },
    mediaFrames: Math.floor(end * hertz(rate) + 1e-6),
  }
}

/** Units on the time of a recording without retakes, hesitations and long pauses, so that lengths are those of clips. */
function compressedUnits(source: ClipSource): ClipUnit[] {
  const { units, rate } = source
  const { ranges } = cutClip(source, { from: 0, to: units.length }, { jumpCut: true })
  const toOutput = outputTimes(ranges, rate)
  return units.map((unit) => ({ ...unit, start: toOutput(unit.start), end: toOutput(unit.end) }))
}

/**
 * Leaves out units at the end of a clip that is too long. Selection knows lengths without the retakes of the recording, but
 * the later take may be outside of the clip.
 */
function fitUnits(
  source: ClipSource,
  { from, to }: IndexRange,
  { jumpCut, lengths: { maxSeconds } }: PlanClipsRequest,
): IndexRange {
  let end = to
  while (end > from + 1 && cutClip(source, { from, to: end }, { maxSeconds, jumpCut }).isTooLong) end -= 1
  return { from, to: end }
}

/** Cuts a clip. Digressions are only left out if it stays within the bounds. */
function cutWithin(
  source: ClipSource,
  { units, skip }: DescribedClip,
  { bounds, request }: { readonly bounds: LengthBounds; readonly request: PlanClipsRequest },
): ClipCut {
  const { jumpCut, lengths } = request
  const cut = (skipped: ReadonlySet<number>) =>
    cutClip(source, units, { maxSeconds: lengths.maxSeconds, jumpCut, skip: skipped })
  const shortened = cut(skip)
  const isLongEnough = shortened.frames >= bounds.min * hertz(source.rate)
  return isLongEnough && !shortened.isTooLong ? shortened : cut(new Set())
}

/** The words of a transcript with the punctuation of its sentences. */
function sentenceWords({ words, sentences }: Transcript): ClipWord[] {
  const punctuated = words.map((word): ClipWord => ({ ...word, endsSentence: false }))
  for (const { first, last, text } of sentences) {
    for (const [index, word] of punctuateWords(words.slice(first, last + 1), text).entries())
      punctuated[first + index] = { ...word, endsSentence: first + index === last }
  }
  return punctuated
}

interface PlannedClipOptions {
  readonly index: number
  readonly words: readonly ClipWord[]
  readonly cut: ClipCut | undefined
  /** Describes a clip by what is said in it. */
  describeAlone(clip: DescribedClip, text: string): ClipMetadata
}

function plannedClip(
  clip: DescribedClip,
  { index, words, cut, describeAlone }: PlannedClipOptions,
): PlannedClip {
  const kept = (cut?.words ?? []).flatMap((word) => words[word] ?? [])
  const text = joinWords(kept.map((word) => word.text))
  const score = Math.round(10 * Math.min(10, Math.max(0, clip.score))) / 10
  return {
    ...{ index: index + 1, ranges: cut?.ranges ?? [], frames: cut?.frames ?? 0, words: kept, text },
    metadata: { ...(clip.metadata ?? describeAlone(clip, text)), score },
  }
}

function degradedReason(
  described: readonly DescribedClip[],
  { selection, failure }: { readonly selection: string | undefined; readonly failure: string | undefined },
): string | undefined {
  const plain = described.flatMap(({ metadata }, index) => (metadata ? [] : [index + 1]))
  const all = plain.length === described.length ? 'all clips' : `clip ${plain.join(', ')}`
  const reasons = [
    ...(selection === undefined ? [] : [selection]),
    ...(plain.length > 0 ? [`the titles of ${all} are their first sentences`] : []),
  ]
  if (reasons.length === 0) return undefined
  return `${reasons.join('; ')}${failure === undefined ? '' : ` (${failure})`}`
}

function remarks(
  { words }: Transcript,
  { language, outputLanguage }: PlanClipsRequest,
  degraded: string | undefined,
): string[] {
  const isOther = degraded !== undefined && !isSameLanguage(language, outputLanguage)
  return [
    ...languageNotes(words, { field: 'language', language }),
    ...(degraded === undefined ? [] : [degraded]),
    ...(isOther
      ? [`titles without a language model are in the language of the recording, not in ${outputLanguage}`]
      : []),
  ]
}

function nothingSaid({ language, stt, subtitles }: PlanClipsRequest): MediaError {
  if (stt || subtitles) {
    const field = stt ? 'stt' : 'subtitle_file_id'
    return new MediaError(6016, `${field}: no sentence is within the picture of the video`, {
      hint: 'Use the transcript of this video.',
    })
  }
  return new MediaError(6016, 'file_id: no speech was recognised in the video', {
    hint: `Check that somebody speaks in it, and that language (${language}) is the spoken one.`,
  })
}

function noneFits(units: readonly ClipUnit[], { lengths: { maxSeconds } }: PlanClipsRequest): MediaError {
  const shortest = Math.min(...units.map(({ start, end }) => end - start))
  return new MediaError(
    6016,
    `duration.max_clip_sec is ${maxSeconds}, but the shortest line lasts ${shortest.toFixed(1)} s`,
    { hint: `Set duration.max_clip_sec to ${Math.ceil(shortest + 1)} or more.` },
  )
}
