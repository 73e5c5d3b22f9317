import { summarizeList } from '../../contract/format.ts'

/** A problem found by reading a particle's source. */
export interface SourceProblem {
  /** An error prevents rendering; a warning points to a likely mistake. */
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Line of the source, from 1. */
  readonly line?: number | undefined
  /** Identifies a problem that playing would report again: its URL. */
  readonly subject?: string
}

const maxDescribedProblems = 8

/** Returns the first problems as text, one sentence each, with their lines. */
export function describeProblems(problems: readonly Omit<SourceProblem, 'severity'>[]): string {
  const reported = problems.map(({ line, message }) =>
    line === undefined ? message : `line ${line}: ${message}`,
  )
  return summarizeList(reported, maxDescribedProblems)
}

/** Returns the problems found by playing that reading the source has not reported already. */
export function selectNewProblems<P extends { readonly message: string }>(
  played: readonly P[],
  read: readonly SourceProblem[],
): P[] {
  const reported = new Set(read.map(({ subject }) => subject))
  return played.filter(({ message }) => {
    const subject = problemSubject(message)
    return subject === undefined || !reported.has(subject)
  })
}

function problemSubject(message: string): string | undefined {
  return /^requests (.+); a particle has no network access$/.exec(message)?.[1]
}
