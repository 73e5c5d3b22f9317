import type { SpokenLine } from '../../src/engines/dubbing/speak-lines.ts'
import { type Fit, type FittedLine, maxTrim } from '../../src/media/dubbing/fit.ts'
import { type Doubt, doubts, worstFirst } from './doubts.ts'
import type { DubOutput } from './dub-job.ts'

type ReportedLine = DubOutput['report']['doubtful_lines'][number]

/** Most lines of a report. */
const maxLines = 100

/** Returns the lines of a dub that somebody should check, in order; of very many the worst. */
export function doubtfulLines(lines: readonly SpokenLine[], fit: Fit): ReportedLine[] {
  const found = fit.lines.flatMap((fitted, index): ReportedLine[] => {
    const spoken = lines[index]
    const reasons = spoken ? lineDoubts(spoken, fitted) : []
    return reasons.length > 0
      ? [{ index, st_ms: fitted.stMs, ed_ms: fitted.stMs + fitted.durMs, reasons }]
      : []
  })
  return worstFirst(found)
    .slice(0, maxLines)
    .toSorted((one, other) => one.index - other.index)
}

function lineDoubts(
  { text, refusal, lostShare, addedShare }: SpokenLine,
  { trimMs, rewriteRounds }: FittedLine,
): Doubt[] {
  const isDoubtful: Readonly<Record<Doubt, boolean>> = {
    untranslated: text === '',
    unspoken: refusal !== undefined,
    over_band: trimMs > maxTrim,
    words_lost: lostShare !== undefined,
    words_added: addedShare !== undefined,
    trimmed: trimMs > 0 && trimMs <= maxTrim,
    rewritten_twice: rewriteRounds === 2,
  }
  return doubts.filter((doubt) => isDoubtful[doubt])
}
