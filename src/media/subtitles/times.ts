import type { TextRange } from '../text-edits.ts'

/** A parsed time in milliseconds, with its range in the text. */
export interface ParsedTime {
  readonly ms: number
  readonly at: TextRange
}

/** Hours are optional, as in VTT. The fraction of a second may have any number of digits. */
const timePattern = /(-?)(?:(\d{1,9}):)?(\d{1,9}):(-?\d{1,9})(?:[,.:](-?)(\d{1,9}))?/y

/** Parses the time at an offset; undefined if there is none. */
export function parseTimeAt(text: string, from: number): ParsedTime | undefined {
  timePattern.lastIndex = from
  const [whole, sign, hours = '0', minutes = '', seconds = '', dash, fraction = '0'] =
    timePattern.exec(text) ?? []
  if (whole === undefined) return undefined
  const ms =
    Number(hours) * 3_600_000 +
    Number(minutes) * 60_000 +
    Math.abs(Number(seconds)) * 1000 +
    Number(fraction.slice(0, 3).padEnd(3, '0'))
  const negative = sign === '-' || seconds.startsWith('-') || dash === '-'
  return { ms: negative ? -ms : ms, at: { from, to: from + whole.length } }
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

function splitTime(ms: number): { hours: number; rest: string; fraction: number } {
  const whole = Math.max(0, Math.round(ms))
  const seconds = Math.floor(whole / 1000)
  const rest = `${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`
  return { hours: Math.floor(seconds / 3600), rest, fraction: whole % 1000 }
}

/** Formats milliseconds as `00:01:02,345`. */
export function srtTime(ms: number): string {
  const { hours, rest, fraction } = splitTime(ms)
  return `${twoDigits(hours)}:${rest},${String(fraction).padStart(3, '0')}`
}

/** Formats milliseconds as `00:01:02.345`. */
export function vttTime(ms: number): string {
  return srtTime(ms).replace(',', '.')
}

/** Formats milliseconds as `0:01:02.35`, rounded to hundredths of a second as ASS requires. */
export function assTime(ms: number): string {
  const { hours, rest, fraction } = splitTime(Math.round(ms / 10) * 10)
  return `${hours}:${rest}.${twoDigits(fraction / 10)}`
}
