import { MediaError } from '../../src/contract/errors.ts'
import { spokenLanguage, type VoiceLanguage } from '../../src/contract/languages.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import type { VoiceReference } from '../../src/engines/speech/speech-engines.ts'
import { hasWords } from '../../src/media/speech/sentences.ts'
import type { TimeSpan } from '../../src/media/speech/speech-types.ts'
import { transcriptSimilarity } from '../../src/media/speech/transcript-similarity.ts'
import { findReferenceSpans } from '../../src/media/speech/voice-reference.ts'
import { hasOtherScript, type SpeechEngines, type SpeechInput } from './engines.ts'
import {
  analyzeRecording,
  normalizeLevel,
  readReferenceCandidate,
  type ReferenceCandidate,
} from './reference-audio.ts'

/** How sure a recogniser must be of what it hears in a reference. */
const minConfidence = 0.5

/** Spans that are listened to before it is said that none will do. */
const maxCandidates = 6

/** What a voice is copied from, and what is reported of it. */
export interface PreparedReference {
  readonly reference: VoiceReference
  readonly span: TimeSpan
  /** What recognised what is said in it; null where nothing did. */
  readonly recogniser: string | null
  /** What took the voice out of what else is heard; null where nothing did. */
  readonly separator: string | null
  /** dB. */
  readonly gain: number
  readonly source: 'user' | 'asr'
  readonly confidence: number | null
  readonly language: VoiceLanguage
  readonly notes: readonly string[]
}

type ReferenceInput = Pick<SpeechInput, 'ref_text' | 'ref_lang' | 'text_lang'>

/**
 * Picks what of a recording the voice is copied from, takes what is no voice off it, and evens its level. Throws
 * 6016, naming the rule that no part of it meets.
 */
export async function prepareReference(
  file: StagedFile,
  input: ReferenceInput,
  {
    recogniser,
    separate,
    signal,
  }: Pick<SpeechEngines, 'recogniser' | 'separate'> & Pick<RunContext, 'signal'>,
): Promise<PreparedReference> {
  const voices = await analyzeRecording(file, signal)
  const choice = findReferenceSpans(voices)
  if ('unmet' in choice) throw unsuitableReference(file, choice.unmet)
  const language = spokenLanguage(input.ref_lang ?? input.text_lang)
  const { ref_text } = input
  const isGiven = ref_text !== undefined
  const heard: ReferenceCandidate[] = []
  // Whoever gives the words gives those of all that is said.
  const spans = isGiven
    ? choice.spans.toSorted((one, other) => spanLength(other) - spanLength(one))
    : choice.spans
  for (const span of distinctSpansFirst(spans).slice(0, maxCandidates)) {
    const listened = await readReferenceCandidate(file, span, {
      ...{ recogniser, separate, language, signal, isGiven },
      speech: voices.speech,
    })
    heard.push(listened)
    // Of what is given in words, the part is looked for that says them.
    if (isGiven ? !recogniser || matchesText(ref_text, listened) : isRecognised(listened)) break
  }
  const best = isGiven ? bestMatch(ref_text, heard) : firstRecognised(file, heard)
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

const spanLength = ({ start, end }: TimeSpan): number => end - start

/** Spans in their order, those first that share less than half of their length with an earlier one. */
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

const isRecognised = (listened: ReferenceCandidate): boolean =>
  recognitionConfidence(listened) >= minConfidence

/** How sure a recogniser is of what is said; 0 where it hears no words. */
const recognitionConfidence = ({ recognised }: ReferenceCandidate): number => recognised?.confidence ?? 0

/** The first of what was heard that was understood. */
function firstRecognised(file: StagedFile, heard: readonly ReferenceCandidate[]): ReferenceCandidate {
  const found = heard.find(isRecognised)
  if (found) return found
  const surest = Math.max(...heard.map(recognitionConfidence))
  const unmet = heard.every(({ recognised }) => !hasWords(recognised?.text ?? ''))
    ? 'what is said in it was not recognised'
    : `what is said in it was recognised with a confidence of ${surest.toFixed(2)} at most, and ${minConfidence} is needed`
  throw unsuitableReference(
    file,
    unmet,
    'Give ref_text, what is said in it word for word, with ref_lang; or a clearer recording.',
  )
}

function unsuitableReference(
  { name }: StagedFile,
  unmet: string,
  hint = 'Give a recording in which one person speaks clearly for 5 to 10 s, without music and long pauses.',
): MediaError {
  return new MediaError(6016, `ref_file_id: ${name} will not do as a reference: ${unmet}`, { hint })
}

/** Given words are those of a recording where so much of them is heard, and no more beside them; engines mishear some. */
const minSimilarity = 0.5

/** Where so much of them is heard no other part will say them better. */
const sureSimilarity = 0.9

/** Whether a part surely says what is given in words. */
function matchesText(text: string, heard: ReferenceCandidate): boolean {
  return similarityToText(text, heard) >= sureSimilarity
}

/** What of the heard says given words best; of parts nobody recognised the first, which is the best to copy. */
function bestMatch(text: string, heard: readonly ReferenceCandidate[]): ReferenceCandidate {
  const [best] = heard.toSorted((one, other) => similarityToText(text, other) - similarityToText(text, one))
  if (!best) throw new TypeError('nothing was heard')
  return best
}

/** Tells of given words that are not those that are heard. */
function mismatchNotes(
  { ref_text, ref_lang, text_lang }: Pick<SpeechInput, 'ref_text' | 'ref_lang' | 'text_lang'>,
  heard: ReferenceCandidate,
): string[] {
  if (ref_text === undefined || !heard.recognised || hasOtherScript(ref_lang ?? text_lang)) return []
  const share = similarityToText(ref_text, heard)
  if (share >= minSimilarity) return []
  const [start, end] = [heard.span.start.toFixed(1), heard.span.end.toFixed(1)]
  return [
    `ref_text is to ${Math.round(100 * share)} % what is heard from ${start} s to ${end} s of the recording: ` +
      'words may be lost or added in the speech; give what is said there word for word, or leave ref_text out',
  ]
}

/** How much given words and those that are heard are the same. */
function similarityToText(text: string, { recognised }: ReferenceCandidate): number {
  return transcriptSimilarity(text, recognised?.text ?? '')
}
