import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCodePoint } from '../../test/code-points.ts'
import { numberedNames, safeFileName } from './file-names.ts'

test('any suggestion becomes a plain, visible, short file name', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint, maxLength: 400 }), (suggested) => {
      const name = safeFileName(suggested)
      expect(name).toMatch(/^[^./\\]/)
      for (const character of '/\\:*?"<>|\0\n\t') expect(name).not.toContain(character)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      expect(name).toBe(safeFileName(name))
    }),
  )
})

test.each([
  ['split screen.mp4', 'split screen.mp4'],
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\x.mp4', '_.._x.mp4'],
  ['.bashrc', 'bashrc'],
  ['con.mp4', '_con.mp4'],
  ['', 'file'],
  ['视频.mp4', '视频.mp4'],
])('%s becomes %s', (suggested, expected) => {
  expect(safeFileName(suggested)).toBe(expected)
})

test('numbers are inserted before the extension', () => {
  expect([...numberedNames('a.b.mp4')].slice(0, 3)).toEqual(['a.b.mp4', 'a.b-2.mp4', 'a.b-3.mp4'])
  expect([...numberedNames('plain')].slice(0, 2)).toEqual(['plain', 'plain-2'])
})
