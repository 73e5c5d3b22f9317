/** The lines of a text without their ends: LF, CR LF or CR. */
export interface LineIndex {
  readonly count: number
  /** Where a line begins, and where it ends. */
  from(line: number): number
  to(line: number): number
  /** The line itself. */
  at(line: number): string
  isBlank(line: number): boolean
}

/** Finds all lines; what follows the last end of line is one only where it is not empty. */
export function indexLines(text: string): LineIndex {
  const starts = lineStarts(text)
  const count = starts.at(-1) === text.length ? starts.length - 1 : starts.length
  const from = (line: number) => starts[line] ?? text.length
  const to = (line: number) => {
    const next = from(line + 1)
    if (line >= count || (next === text.length && !isEnd(text, next - 1))) return next
    return text.charCodeAt(next - 1) === lf && text.charCodeAt(next - 2) === cr && next - 2 >= from(line)
      ? next - 2
      : next - 1
  }
  const at = (line: number) => text.slice(from(line), to(line))
  const isBlank = (line: number) => {
    const code = text.charCodeAt(from(line))
    // Most lines begin with a letter or are empty; only the others are looked through.
    return line >= count || isEnd(text, from(line)) || (isSpace(code) && at(line).trim() === '')
  }
  return { count, from, to, at, isBlank }
}

const [lf, cr] = [10, 13] as const

/** White space as `trim` has it begins at these codes. */
const isSpace = (code: number) => code <= 0x20 || code >= 0xa0

const isEnd = (text: string, at: number) => text.charCodeAt(at) === lf || text.charCodeAt(at) === cr

/** Where lines begin: at the start, and after each end of one. */
function lineStarts(text: string): Int32Array {
  const find = (found: (start: number) => void) => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === lf || (code === cr && text.charCodeAt(at + 1) !== lf)) found(at + 1)
    }
  }
  let count = 1
  find(() => (count += 1))
  const starts = new Int32Array(count)
  let next = 1
  find((start) => (starts[next++] = start))
  return starts
}
