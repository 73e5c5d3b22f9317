import { likeness } from '../../src/media/speech/compare.ts'
import { isInOtherLetters, type Input } from './engines.ts'
import type { Listened } from './listen.ts'

/** Given words are those of a recording where so much of them is heard, and no more beside them; engines mishear some. */
const alikeEnough = 0.5

/** Where so much of them is heard no other part will say them better. */
const surelyAlike = 0.9

/** Whether a part surely says what is given in words. */
export function saysIt(text: string, heard: Listened): boolean {
  return alike(text, heard) >= surelyAlike
}

/** What of the heard says given words best; of parts nobody recognised the first, which is the best to copy. */
export function nearestTo(text: string, heard: readonly Listened[]): Listened {
  const [best] = heard.toSorted((one, other) => alike(text, other) - alike(text, one))
  if (!best) throw new TypeError('nothing was heard')
  return best
}

/** Tells of given words that are not those that are heard. */
export function unlikeNotes(
  { ref_text, ref_lang, text_lang }: Pick<Input, 'ref_text' | 'ref_lang' | 'text_lang'>,
  heard: Listened,
): string[] {
  if (ref_text === undefined || !heard.recognised || isInOtherLetters(ref_lang ?? text_lang)) return []
  const share = alike(ref_text, heard)
  if (share >= alikeEnough) return []
  const [start, end] = [heard.span.start.toFixed(1), heard.span.end.toFixed(1)]
  return [
    `ref_text is to ${Math.round(100 * share)} % what is heard from ${start} s to ${end} s of the recording: ` +
      'words may be lost or added in the speech; give what is said there word for word, or leave ref_text out',
  ]
}

/** How much given words and those that are heard are the same. */
function alike(text: string, { recognised }: Listened): number {
  return likeness(text, recognised?.text ?? '')
}
