import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCodePoint } from '../../test/code-points.ts'
import { contentDisposition, sanitizeFileName } from './file-names.ts'

const anyName = fc.string({
  unit: fc.oneof(
    fc.constantFrom('/', '\\', '.', '\u202e', '\0', '"', '👩‍👧', '\ud800'),
    fc.string({ unit: anyCodePoint, maxLength: 1 }),
  ),
  maxLength: 400,
})

it.for([
  ['a.mp4', 'a.mp4'],
  ['../../a.mp4', 'a.mp4'],
  ['C:\\films\\a.mp4', 'a.mp4'],
  ['clip\u202e4pm.exe', 'clip4pm.exe'],
  ['a\u200b\ufeff\u00ad\u2060b.mp4', 'ab.mp4'],
  ['a\r\nb\u2028.mp4', 'ab.mp4'],
  ['a.mp4\u200b', 'a.mp4'],
  ['e\u200b\u0301.mp4', '\u00e9.mp4'],
  ['👩‍👧.mp4', '👩‍👧.mp4'],
  ['e\u0301.mp4', '\u00e9.mp4'],
  ['', 'file'],
  ['/', 'file'],
  [' . ', '.'],
] as const)('%j becomes %j', ([original, safe]) => {
  expect(sanitizeFileName(original)).toBe(safe)
})

it('any name loses folders and invisible characters, fits, and is stable', () => {
  fc.assert(
    fc.property(anyName, (original) => {
      const name = sanitizeFileName(original)
      expect(name).not.toMatch(/[/\\\p{Cc}\u202a-\u202e]/u)
      expect(name.isWellFormed()).toBe(true)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      expect(name).not.toBe('')
      expect(sanitizeFileName(name)).toBe(name)
    }),
  )
})

it('a long name is shortened before its extension, between graphemes', () => {
  expect(sanitizeFileName(`${'a'.repeat(400)}.mp4`)).toBe(`${'a'.repeat(251)}.mp4`)
  expect(sanitizeFileName(`${'👩‍👧'.repeat(100)}.mp4`)).toMatch(/^(👩‍👧)+\.mp4$/u)
})

it('any sanitized name becomes an ASCII header that decodes to the name', () => {
  fc.assert(
    fc.property(anyName, (original) => {
      const name = sanitizeFileName(original)
      const header = contentDisposition(name)
      expect(header).toMatch(/^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]*$/)
      expect(decodeURIComponent(header.split("''")[1] ?? '')).toBe(name)
    }),
  )
})
