import { transcriptSimilarity } from '../../src/media/speech/compare.ts'
import { hasOtherScript, type SpeechInput } from './engines.ts'
import type { ReferenceCandidate } from './listen.ts'

/** Given words are those of a recording where so much of them is heard, and no more beside them; engines mishear some. */
const minSimilarity = 0.5

/** Where so much of them is heard no other part will say them better. */
const sureSimilarity = 0.9

/** Whether a part surely says what is given in words. */
export function matchesText(text: string, heard: ReferenceCandidate): boolean {
  return similarityToText(text, heard) >= sureSimilarity
}

/** What of the heard says given words best; of parts nobody recognised the first, which is the best to copy. */
export function bestMatch(text: string, heard: readonly ReferenceCandidate[]): ReferenceCandidate {
  const [best] = heard.toSorted((one, other) => similarityToText(text, other) - similarityToText(text, one))
  if (!best) throw new TypeError('nothing was heard')
  return best
}

/** Tells of given words that are not those that are heard. */
export function mismatchNotes(
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
