import { spoken, type VoiceLanguage } from '../../src/contract/languages.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import type { VoiceReference } from '../../src/engines/speech/speech.ts'
import { chooseReference } from '../../src/media/speech/reference.ts'
import { isSpoken } from '../../src/media/speech/sentences.ts'
import type { Span } from '../../src/media/speech/spoken.ts'
import type { Engines, Input } from './engines.ts'
import { nearestTo, saysIt, unlikeNotes } from './given-words.ts'
import { hear } from './hear.ts'
import { evenLevel } from './level.ts'
import { listen, type Listened } from './listen.ts'

/** How sure a recogniser must be of what it hears in a reference. */
const sureEnough = 0.5

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
  const { ref_text } = input
  const isGiven = ref_text !== undefined
  const heard: Listened[] = []
  // Whoever gives the words gives those of all that is said.
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
    if (isGiven ? !recogniser || saysIt(ref_text, listened) : isUnderstood(listened)) break
  }
  const best = isGiven ? nearestTo(ref_text, heard) : understood(file, heard)
  const { span, separator, recognised } = best
  const level = evenLevel(best.samples, best.rate)
  return {
    reference: {
      samples: level.samples,
      rate: best.rate,
      text: ref_text ?? recognised?.text ?? '',
      language,
    },
    ...{ span, separator, language },
    recogniser: (recognised && recogniser?.name) ?? null,
    notes: [...voices.notes, ...best.notes, ...unlikeNotes(input, best)],
    gain: level.gain,
    source: isGiven ? 'user' : 'asr',
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

/** How sure a recogniser is of what is said; 0 where it hears no words. */
const sureness = ({ recognised }: Listened): number => recognised?.confidence ?? 0

/** The first of what was heard that was understood. */
function understood(file: StagedFile, heard: readonly Listened[]): Listened {
  const found = heard.find(isUnderstood)
  if (found) return found
  const surest = Math.max(...heard.map(sureness))
  const unmet = heard.every(({ recognised }) => !isSpoken(recognised?.text ?? ''))
    ? 'what is said in it was not recognised'
    : `what is said in it was recognised with a confidence of ${surest.toFixed(2)} at most, and ${sureEnough} is needed`
  throw unfit(
    file,
    unmet,
    'Give ref_text, what is said in it word for word, with ref_lang; or a clearer recording.',
  )
}

function unfit(
  { name }: StagedFile,
  unmet: string,
  hint = 'Give a recording in which one person speaks clearly for 5 to 10 s, without music and long pauses.',
): MediaError {
  return new MediaError(6016, `ref_file_id: ${name} will not do as a reference: ${unmet}`, { hint })
}
