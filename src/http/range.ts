import type { ByteRange } from '../files/store.ts'

/**
 * The part of a file that a Range header asks for (RFC 9110, section 14): one range of bytes.
 * Undefined means the whole: no header, another unit, several ranges, or one that makes no sense.
 *
 * @param size bytes of the file, above 0
 */
export function chooseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}
