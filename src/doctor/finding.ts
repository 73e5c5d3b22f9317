/** One thing the doctor looked at. */
export interface Finding {
  readonly name: string
  /** `missing` stops work; `note` is worth knowing. */
  readonly state: 'ok' | 'missing' | 'note'
  readonly detail: string
  /** The one command or setting that mends it. */
  readonly fix?: string
  /** Operations that do not work for it. */
  readonly stops?: readonly string[]
}

/** Findings in words, one line each and the fix below. */
export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const marks = { ok: 'ok     ', missing: 'MISSING', note: 'note   ' }
  const indent = ' '.repeat(width + 11)
  const lines = findings.map(({ name, state, detail, fix }) => {
    const line = `${marks[state]}  ${name.padEnd(width)}  ${detail.replaceAll('\n', `\n${indent}`)}`
    return fix === undefined ? line : `${line}\n${indent}-> ${fix}`
  })
  const missing = findings.filter(({ state }) => state === 'missing').length
  const stopped = findings.flatMap(({ stops = [] }) => stops)
  const ready = stopped.length === 0 ? 'Ready.' : `Ready, but for ${stopped.join(', ')}.`
  const verdict =
    missing === 0 ? ready : `${missing === 1 ? 'One thing is' : `${missing} things are`} missing.`
  return `${lines.join('\n')}\n\n${verdict}\n`
}
