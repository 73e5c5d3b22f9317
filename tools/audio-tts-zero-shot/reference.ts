import { spoken, type VoiceLanguage } from '../../src/contract/languages.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import type { VoiceReference } from '../../src/engines/speech/speech.ts'
import { likeness } from '../../src/media/speech/compare.ts'
import { chooseReference } from '../../src/media/speech/reference.ts'
import type { Span } from '../../src/media/speech/spoken.ts'
import { isInOtherLetters, type Engines, type Input } from './engines.ts'
import { hear } from './hear.ts'
import { evenLevel } from './level.ts'
import { listen, type Listened } from './listen.ts'

/** How sure a recogniser must be of what it hears in a reference. */
const sureEnough = 0.5

/** Given words are those of a recording where so much of them is heard, and no more beside them; engines mishear some. */
const alikeEnough = 0.5

/** Spans that are listened to before it is said that none will do. */
const mostTried = 6

/** What a voice is copied from, and what is reported of it. */
export interface Prepared {
  readonly reference: VoiceReference
  readonly span: Span
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

type Given = Pick<Input, 'ref_text' | 'ref_lang' | 'text_lang'>

/**
 * Picks what of a recording the voice is copied from, takes what is no voice off it, and evens its level. Throws
 * 6016, naming the rule that no part of it meets.
 */
export async function prepareReference(
  file: StagedFile,
  input: Given,
  { recogniser, separate, signal }: Pick<Engines, 'recogniser' | 'separate'> & Pick<RunContext, 'signal'>,
): Promise<Prepared> {
  const voices = await hear(file, signal)
  const choice = chooseReference(voices)
  if ('unmet' in choice) throw unfit(file, choice.unmet)
  const language = spoken(input.ref_lang ?? input.text_lang)
  const heard: Listened[] = []
  // Whoever gives the words gives those of all that is said.
  const isGiven = input.ref_text !== undefined
  const spans = isGiven
    ? choice.spans.toSorted((one, other) => lengthOf(other) - lengthOf(one))
    : choice.spans
  for (const span of apart(spans).slice(0, mostTried)) {
    const listened = await listen(file, span, {
      ...{ recogniser, separate, language, signal, isGiven },
      speech: voices.speech,
    })
    heard.push(listened)
    // Of what is given in words, the part is looked for that says them.
    if (isGiven ? !recogniser : isUnderstood(listened)) break
  }
  const best = input.ref_text === undefined ? understood(file, heard) : nearestTo(input.ref_text, heard)
  const { span, separator, recognised } = best
  const level = evenLevel(best.samples, best.rate)
  return {
    reference: {
      samples: level.samples,
      rate: best.rate,
      text: input.ref_text ?? recognised?.text ?? '',
      language,
    },
    ...{ span, separator, language },
    recogniser: (recognised && recogniser?.name) ?? null,
    notes: [...best.notes, ...unlikeNotes(input, best)],
    gain: level.gain,
    source: input.ref_text === undefined ? 'asr' : 'user',
    confidence: recognised?.confidence ?? null,
  }
}

const lengthOf = ({ start, end }: Span): number => end - start

/** Spans in their order, those first that share less than half of their length with an earlier one. */
function apart(spans: readonly Span[]): Span[] {
  const chosen: Span[] = []
  const others: Span[] = []
  for (const span of spans) {
    const shares = (other: Span) => Math.min(span.end, other.end) - Math.max(span.start, other.start)
    const isNew = chosen.every((other) => shares(other) < lengthOf(span) / 2)
    if (isNew) chosen.push(span)
    else others.push(span)
  }
  return [...chosen, ...others]
}

const isUnderstood = (listened: Listened): boolean => sureness(listened) >= sureEnough

/** How sure a recogniser is of what is said; 0 where it hears nothing. */
function sureness({ recognised }: Listened): number {
  return recognised?.text ? (recognised.confidence ?? 0) : 0
}

/** The first of what was heard that was understood. */
function understood(file: StagedFile, heard: readonly Listened[]): Listened {
  const found = heard.find(isUnderstood)
  if (found) return found
  const surest = Math.max(...heard.map(sureness))
  const unmet = heard.every(({ recognised }) => !recognised?.text)
    ? 'what is said in it was not recognised'
    : `what is said in it was recognised with a confidence of ${surest.toFixed(2)} at most, and ${sureEnough} is needed`
  throw unfit(
    file,
    unmet,
    'Give ref_text, what is said in it word for word, with ref_lang; or a clearer recording.',
  )
}

/** What of the heard says given words best; of parts nobody recognised the first, which is the best to copy. */
function nearestTo(text: string, heard: readonly Listened[]): Listened {
  const alike = ({ recognised }: Listened) => likeness(text, recognised?.text ?? '')
  const [best] = heard.toSorted((one, other) => alike(other) - alike(one))
  if (!best) throw new TypeError('nothing was heard')
  return best
}

/** Tells of given words that are not those that are heard. */
function unlikeNotes({ ref_text, ref_lang, text_lang }: Given, { span, recognised }: Listened): string[] {
  if (ref_text === undefined || !recognised?.text || isInOtherLetters(ref_lang ?? text_lang)) return []
  const alike = likeness(ref_text, recognised.text)
  if (alike >= alikeEnough) return []
  const [start, end] = [span.start.toFixed(1), span.end.toFixed(1)]
  return [
    `ref_text is to ${Math.round(100 * alike)} % what is heard from ${start} s to ${end} s of the recording: ` +
      'words may be lost or added in the speech; give what is said there word for word, or leave ref_text out',
  ]
}

function unfit(
  { name }: StagedFile,
  unmet: string,
  hint = 'Give a recording in which one person speaks clearly for 5 to 10 s, without music and long pauses.',
): MediaError {
  return new MediaError(6016, `ref_file_id: ${name} will not do as a reference: ${unmet}`, { hint })
}
