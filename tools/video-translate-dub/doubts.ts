/** Reasons to check a line of a dub, worst first. */
export const doubts = [
  ...(['untranslated', 'unspoken', 'over_band', 'words_lost', 'words_added'] as const),
  ...(['trimmed', 'rewritten_twice'] as const),
] as const
export type Doubt = (typeof doubts)[number]

/** A line to check; times are ms of the output. */
export interface DoubtfulLine {
  readonly index: number
  readonly st_ms: number
  readonly ed_ms: number
  readonly reasons: readonly Doubt[]
}

/** Sorts lines by their worst doubt. */
export function worstFirst<Line extends DoubtfulLine>(lines: readonly Line[]): Line[] {
  const rank = ({ reasons }: Line) => Math.min(...reasons.map((reason) => doubts.indexOf(reason)))
  return lines.toSorted((one, other) => rank(one) - rank(other) || one.index - other.index)
}
