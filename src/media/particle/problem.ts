/** Something a particle's author should know. */
export interface Problem {
  /** Whether it keeps the particle from being rendered, or is only likely not to be meant. */
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Of the source, from 1. */
  readonly line?: number | undefined
}

const mostTold = 8

/** The problems in one sentence each, with their lines; of many the first. */
export function describeProblems(problems: readonly Omit<Problem, 'severity'>[]): string {
  const told = problems
    .slice(0, mostTold)
    .map(({ line, message }) => (line === undefined ? message : `line ${line}: ${message}`))
  const more = problems.length - told.length
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
