import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRange } from './downloads.ts'

const size = fc.integer({ min: 1, max: 2 ** 40 })
const offset = fc.integer({ min: 0, max: 2 ** 41 })

it('a range is inside the file and matches the request', () => {
  fc.assert(
    fc.property(size, offset, offset, (bytes, first, last) => {
      const range = parseRange(`bytes=${first}-${last}`, bytes)
      if (last < first) expect(range).toBeUndefined()
      else if (first >= bytes) expect(range).toBe('unsatisfiable')
      else expect(range).toEqual({ start: first, end: Math.min(last, bytes - 1) })
    }),
  )
})

it('an open range extends to the end, a suffix has the requested length', () => {
  fc.assert(
    fc.property(size, offset, (bytes, number) => {
      const end = bytes - 1
      const open = parseRange(`bytes=${number}-`, bytes)
      expect(open).toEqual(number < bytes ? { start: number, end } : 'unsatisfiable')
      const suffix = parseRange(`bytes=-${number}`, bytes)
      expect(suffix).toEqual(number > 0 ? { start: Math.max(0, bytes - number), end } : 'unsatisfiable')
    }),
  )
})

it('anything else returns the whole file', () => {
  fc.assert(
    fc.property(fc.string(), size, (text, bytes) => {
      fc.pre(!/^bytes=\d*-\d*$/.test(text))
      expect(parseRange(text, bytes)).toBeUndefined()
    }),
  )
  expect(parseRange(undefined, 10)).toBeUndefined()
})
