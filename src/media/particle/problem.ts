import { summarizeList } from '../../contract/format.ts'

/** Something a particle's author should know. */
export interface SourceProblem {
  /** Whether it keeps the particle from being rendered, or is only likely not to be meant. */
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Of the source, from 1. */
  readonly line?: number | undefined
  /** What it is about, where playing tells of that again: an address, or `timeline` for one that is missing. */
  readonly subject?: string
}

const maxDescribedProblems = 8

/** The problems in one sentence each, with their lines; of many the first. */
export function describeProblems(problems: readonly Omit<SourceProblem, 'severity'>[]): string {
  const told = problems.map(({ line, message }) =>
    line === undefined ? message : `line ${line}: ${message}`,
  )
  return summarizeList(told, maxDescribedProblems)
}

/** Of what playing a particle tells, what the reading of its source has not told already, with the right line. */
export function selectNewProblems<P extends { readonly message: string }>(
  played: readonly P[],
  read: readonly SourceProblem[],
): P[] {
  const told = new Set(read.map(({ subject: about }) => about))
  return played.filter(({ message }) => {
    const subject = problemSubject(message)
    return subject === undefined || !told.has(subject)
  })
}

function problemSubject(message: string): string | undefined {
  if (message.startsWith('no timeline is registered')) return 'timeline'
  return /^requests (.+); a particle has no network access$/.exec(message)?.[1]
}
