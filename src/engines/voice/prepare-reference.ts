import { MediaError } from '../../contract/errors.ts'
import { spokenLanguage, type VoiceLanguage } from '../../contract/languages.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import type { Recogniser, VoiceReference } from '../speech/speech-engines.ts'
import { hasWords } from '../../media/speech/sentences.ts'
import type { TimeSpan } from '../../media/speech/speech-types.ts'
import { compareTranscripts, transcriptSimilarity } from '../../media/speech/transcript-similarity.ts'
import { findReferenceSpans } from '../../media/speech/voice-reference.ts'
import { hasOtherScript, type SpeechEngines, type VoiceRequest } from './engines.ts'
import {
  type AnalyzedRecording,
  analyzeRecording,
  normalizeLevel,
  readReferenceCandidate,
  type ReferenceCandidate,
} from './reference-audio.ts'

/** Lowest confidence of the transcript of a reference. */
const minConfidence = 0.5

/** Candidate spans that are tried at most. */
const maxCandidates = 6

/** Longest time for comparing a given transcript with the recording, ms; it is optional. */
const comparisonMs = 60_000

/** The reference, and its fields of the report. */
export interface PreparedReference {
  readonly reference: VoiceReference
  readonly span: TimeSpan
  /** Name of the recogniser; null if none was used. */
  readonly recogniser: string | null
  /** Name of the separator; null if none was used. */
  readonly separator: string | null
  /** Applied gain, dB. */
  readonly gain: number
  readonly source: 'user' | 'asr'
  readonly confidence: number | null
  readonly language: VoiceLanguage
  readonly notes: readonly string[]
}

export interface PrepareReferenceOptions
  extends Pick<SpeechEngines, 'recogniser'>, Pick<RunContext, 'signal'> {
  /** Separates the voice from other sound; absent if the file is a separated voice. */
  readonly separate?: SpeechEngines['separate'] | undefined
  /** Speech of one person in the file, with its remarks; by default, the whole file is analysed. */
  readonly activity?: AnalyzedRecording
  /** Field that names the file, for errors. */
  readonly field?: 'ref_file_id' | 'file_id'
  /** Time after which a given transcript is no longer compared, ms; 60 s by default. */
  readonly comparisonMs?: number
}

/**
 * Selects the span of a recording whose voice is cloned, removes its background and normalises its level. Throws 6016
 * with the rule that no span meets.
 */
export async function prepareReference(
  file: StagedFile,
  input: VoiceRequest,
  {
    recogniser,
    separate,
    signal,
    activity,
    field,
    comparisonMs: timeLimit = comparisonMs,
  }: PrepareReferenceOptions,
): Promise<PreparedReference> {
  const voices = activity ?? (await analyzeRecording(file, signal))
  const choice = findReferenceSpans(voices)
  const source = { name: file.name, field }
  if ('unmetRule' in choice) throw unsuitableReference(source, choice.unmetRule)
  const language = spokenLanguage(input.ref_lang ?? input.text_lang)
  const { ref_text } = input
  const isGiven = ref_text !== undefined
  const candidates: ReferenceCandidate[] = []
  const compared = isGiven && recogniser ? limitTotalTime(recogniser, timeLimit) : recogniser
  // A given transcript covers all speech: try long spans first.
  const spans = isGiven
    ? choice.spans.toSorted((one, other) => spanLength(other) - spanLength(one))
    : choice.spans
  for (const span of distinctSpansFirst(spans).slice(0, maxCandidates)) {
    const candidate = await readReferenceCandidate(file, span, {
      ...{ recogniser: compared, separate, language, signal, isGiven },
      speech: voices.speech,
    })
    candidates.push(candidate)
    // With a given transcript, stop at the span that matches it.
    if (isGiven ? !candidate.recognised || matchesText(ref_text, candidate) : isRecognised(candidate)) break
  }
  const best = isGiven ? bestMatch(ref_text, candidates) : firstRecognised(source, candidates)
  const { span, separator, recognised } = best
  const level = normalizeLevel(best.samples, best.rate)
  return {
    reference: {
      samples: level.samples,
      rate: best.rate,
      text: ref_text ?? recognised?.text ?? '',
      language,
    },
    ...{ span, separator, language },
    recogniser: (recognised && recogniser?.name) ?? null,
    notes: [...voices.notes, ...best.notes, ...mismatchNotes(input, best)],
    gain: level.gain,
    source: isGiven ? 'user' : 'asr',
    confidence: recognised?.confidence ?? null,
  }
}

/** A recogniser whose requests take at most so many milliseconds together; then it throws 6402. */
function limitTotalTime(recogniser: Recogniser, ms: number): Recogniser {
  let leftMs = ms
  return {
    ...recogniser,
    async recognise(sound, options) {
      const started = performance.now()
      const limit = new AbortController()
      const late = new MediaError(6402, `${recogniser.name} took more than ${ms / 1000} s`)
      const timer = setTimeout(() => limit.abort(late), Math.max(0, leftMs))
      try {
        const signal = AbortSignal.any([options.signal, limit.signal])
        return await recogniser.recognise(sound, { ...options, signal })
      } finally {
        clearTimeout(timer)
        leftMs -= performance.now() - started
      }
    },
  }
}

const spanLength = ({ start, end }: TimeSpan): number => end - start

/** Moves spans that overlap an earlier one by half of their length or more to the end. */
function distinctSpansFirst(spans: readonly TimeSpan[]): TimeSpan[] {
  const chosen: TimeSpan[] = []
  const others: TimeSpan[] = []
  for (const span of spans) {
    const shares = (other: TimeSpan) => Math.min(span.end, other.end) - Math.max(span.start, other.start)
    const isNew = chosen.every((other) => shares(other) < spanLength(span) / 2)
    if (isNew) chosen.push(span)
    else others.push(span)
  }
  return [...chosen, ...others]
}

const isRecognised = (candidate: ReferenceCandidate): boolean =>
  recognitionConfidence(candidate) >= minConfidence

/** Confidence of the transcript; 0 without words. */
const recognitionConfidence = ({ recognised }: ReferenceCandidate): number => recognised?.confidence ?? 0

/** First candidate with a reliable transcript. Throws 6016 if there is none. */
function firstRecognised(
  file: ReferenceSource,
  candidates: readonly ReferenceCandidate[],
): ReferenceCandidate {
  const found = candidates.find(isRecognised)
  if (found) return found
  const maxConfidence = Math.max(...candidates.map(recognitionConfidence))
  const unmetRule = candidates.every(({ recognised }) => !hasWords(recognised?.text ?? ''))
    ? 'its speech was not recognised'
    : `its speech was recognised with a confidence of at most ${maxConfidence.toFixed(2)}; ${minConfidence} is required`
  throw unsuitableReference(
    file,
    unmetRule,
    file.field === 'file_id'
      ? 'Give ref_file_id, a clearer recording of the voice, with ref_lang.'
      : 'Give ref_text, its exact transcript, with ref_lang; or give a clearer recording.',
  )
}

/** A file with a reference, as errors name it. */
interface ReferenceSource extends Pick<StagedFile, 'name'> {
  readonly field: PrepareReferenceOptions['field']
}

function unsuitableReference(
  { name, field = 'ref_file_id' }: ReferenceSource,
  unmetRule: string,
  hint = 'Give a recording in which one person speaks clearly for 5 to 10 s, without music or long pauses.',
): MediaError {
  return new MediaError(6016, `${field}: ${name} is not a usable reference: ${unmetRule}`, { hint })
}

/**
 * Lowest similarity of a given transcript and the recognised one, and lowest share of the words of each that are in the
 * other; recognisers make mistakes. They write simplified Mandarin, which shares many characters with other scripts.
 */
const minSimilarity = { sameScript: 0.5, otherScript: 0.25 }

/** Similarity from which no further span is tried. */
const stopSimilarity = 0.9

/** Whether a span clearly matches the given transcript. */
function matchesText(text: string, candidate: ReferenceCandidate): boolean {
  return similarityToText(text, candidate) >= stopSimilarity
}

/** Candidate that matches the transcript best; without recognition the first, which has the best quality. */
function bestMatch(text: string, candidates: readonly ReferenceCandidate[]): ReferenceCandidate {
  const [best] = candidates.toSorted(
    (one, other) => similarityToText(text, other) - similarityToText(text, one),
  )
  if (!best) throw new TypeError('there is no candidate')
  return best
}

/** Remark if the given transcript differs from the recognised one. */
function mismatchNotes(
  { ref_text, ref_lang, text_lang }: VoiceRequest,
  candidate: ReferenceCandidate,
): string[] {
  if (ref_text === undefined || !candidate.recognised) return []
  const { text } = candidate.recognised
  const least = minSimilarity[hasOtherScript(ref_lang ?? text_lang) ? 'otherScript' : 'sameScript']
  const share = similarityToText(ref_text, candidate)
  const given = compareTranscripts(ref_text, text).recall
  const heard = compareTranscripts(text, ref_text).recall
  if (Math.min(share, given, heard) >= least) return []
  const [start, end] = [candidate.span.start.toFixed(1), candidate.span.end.toFixed(1)]
  const speech = `the speech from ${start} s to ${end} s of the recording`
  const percent = (part: number) => `${Math.round(100 * part)} %`
  const what =
    share < least
      ? `ref_text matches only ${percent(share)} of ${speech}`
      : given < heard
        ? `only ${percent(given)} of ref_text were recognised in ${speech}, which is used as the reference`
        : `ref_text contains only ${percent(heard)} of ${speech}`
  return [`${what}: words may be lost or added in the result; give its exact transcript, or omit ref_text`]
}

/** Similarity of the given and the recognised transcript, 0 to 1. */
function similarityToText(text: string, { recognised }: ReferenceCandidate): number {
  return transcriptSimilarity(text, recognised?.text ?? '')
}
