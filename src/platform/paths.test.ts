import { posix } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInside, outermostFolders } from './paths.ts'

const part = fc.stringMatching(/^[a-z.]{1,6}$/).filter((name) => name !== '.' && name !== '..')
const path = fc.array(part, { maxLength: 5 }).map((parts) => posix.join('/', ...parts))

test('isInside accepts descendants of a folder, and rejects siblings with the same prefix', () => {
  fc.assert(
    fc.property(path, fc.array(part, { maxLength: 3 }), (folder, rest) => {
      expect(isInside(folder, posix.join(folder, ...rest))).toBe(true)
      if (folder !== '/') expect(isInside(folder, `${folder}x`)).toBe(false)
      if (folder !== '/') expect(isInside(folder, posix.dirname(folder))).toBe(false)
    }),
  )
})

test('isInside accepts names that start with two dots', () => {
  expect(isInside('/a', '/a/..b')).toBe(true)
  expect(isInside('/a', '/b')).toBe(false)
})

test.each([
  ['darwin', '/Users/u/Data', '/users/U/data/x.json', true],
  ['darwin', '/Users/u/Caf\u00e9', '/Users/u/cafe\u0301/x.json', true],
  ['linux', '/home/u/Data', '/home/u/data/x.json', false],
  ['win32', 'C:\\Users\\u\\Data', 'c:\\users\\U\\DATA\\x.json', true],
  ['win32', 'C:\\Users\\u\\Data', 'D:\\Users\\u\\Data\\x.json', false],
  ['win32', 'C:\\Users\\u\\Data', 'C:\\Users\\u\\Data2\\x.json', false],
] as const)('on %s, whether %s contains %s is %s', (platform, folder, inside, expected) => {
  expect(isInside(folder, inside, platform)).toBe(expected)
})

test('outermostFolders keeps each folder that no other one contains, once', () => {
  expect(outermostFolders(['/a/b', '/a', '/ab', '/a', '/c/d'])).toEqual(['/a', '/ab', '/c/d'])
})
