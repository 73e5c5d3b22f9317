/** Offsets of the lines of a text, without their ends (LF, CR LF or CR). */
export interface LineIndex {
  readonly count: number
  /** Start and end offset of a line. */
  from(line: number): number
  to(line: number): number
  /** Text of a line. */
  at(line: number): string
  isBlank(line: number): boolean
}

/** Indexes all lines. Text after the last line end is a line only if it is not empty. */
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
    // Most lines start with a letter or are empty; only others are searched.
    return line >= count || isEnd(text, from(line)) || (isSpace(code) && at(line).trim() === '')
  }
  return { count, from, to, at, isBlank }
}

const [lf, cr] = [10, 13] as const

/** Whether a character may be white space that `trim` removes. */
const isSpace = (code: number) => code <= 0x20 || code >= 0xa0

const isEnd = (text: string, at: number) => text.charCodeAt(at) === lf || text.charCodeAt(at) === cr

/** Returns the start offsets of lines. */
function lineStarts(text: string): Int32Array {
  let starts = new Int32Array(1024)
  let count = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > cr || (code !== lf && (code !== cr || text.charCodeAt(at + 1) === lf))) continue
    if (count === starts.length) {
      const longer = new Int32Array(2 * count)
      longer.set(starts)
      starts = longer
    }
    starts[count] = at + 1
    count += 1
  }
  return starts.subarray(0, count)
}
