import { isFiller } from './insertions.ts'
import { breakClass } from './pauses.ts'
import type { TakeSelection } from './takes.ts'
import { withoutAbbreviationDot } from '../speech/sentences.ts'
import type { Transcript } from '../speech/transcript.ts'
import { joinWords } from '../speech/words.ts'
import { consecutiveRanges, heardUnits, indexesOf } from './heard-units.ts'
import { findRetakes } from './repeats.ts'

/** The reconstructed script and what of the recording it keeps. */
export interface RebuiltScript extends TakeSelection {
  readonly script: string
}

/** Why a person should check a passage that is called misread. */
const misreadNote = 'cut, because the next sentence says almost the same: it may be a sentence of its own'

interface RebuildScriptOptions {
  /** Keeps sentences that the next one repeats only partly: in free speech they are rather meant so. Default: false. */
  readonly keepsMisread?: boolean
}

/**
 * Reconstructs a script from a recording: everything that is said, without earlier takes, restarts and hesitations. The
 * punctuation is that of the recogniser; a sentence without an end mark ends like one with a full stop.
 */
export function rebuildScript(
  { words, sentences }: Pick<Transcript, 'words' | 'sentences'>,
  { keepsMisread = false }: RebuildScriptOptions = {},
): RebuiltScript {
  const sentenceEnds = new Set(sentences.map(({ last }) => last))
  const retakes = findRetakes(words, sentenceEnds).filter(
    ({ reason }) => !keepsMisread || reason === 'retake',
  )
  const isDropped = new Set(retakes.flatMap(indexesOf))
  const { units, words: wordsOfUnits } = heardUnits(words)
  const fillers = consecutiveRanges(
    units.flatMap(({ text }, unit) => {
      const word = wordsOfUnits[unit]?.from ?? 0
      return isFiller(text) && !isDropped.has(word) ? [word] : []
    }),
  )
  const isCut = new Set([...isDropped, ...fillers.flatMap(indexesOf)])
  const kept = words.flatMap(({ text }, word) => {
    if (isCut.has(word)) return []
    const [marks = ''] = /[^\p{L}\p{M}\p{N}]*$/u.exec(text) ?? []
    const isEnd = sentenceEnds.has(word) && breakClass(`${marks} `) === null
    const between = `${marks}${isEnd ? '. ' : ' '}`
    const after = text.slice(0, text.length - marks.length)
    const next = words[word + 1]?.text ?? ''
    return [{ word, textAfter: withoutAbbreviationDot(between, { after, next }) }]
  })
  return {
    script: joinWords(kept.map(({ word }) => words[word]?.text ?? '')),
    kept,
    dropped: retakes.map(({ from, to, reason }) => ({ words: { from, to }, reason })),
    fillers,
    review: retakes.flatMap(({ from, reason }) =>
      reason === 'misread' ? [{ word: from, note: misreadNote }] : [],
    ),
    ...{ uncovered: [], coverage: 1 },
  }
}
