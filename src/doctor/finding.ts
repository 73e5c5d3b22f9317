/** Result of one check of the doctor. */
export interface Finding {
  readonly name: string
  /** `missing` prevents operations; `note` is information only. */
  readonly state: 'ok' | 'missing' | 'note'
  readonly detail: string
  /** The command or setting that fixes it. */
  readonly fix?: string
  /** Operations that do not work because of it. */
  readonly stops?: readonly string[]
}

/** Formats findings as text: one line each, with the fix below it. */
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
