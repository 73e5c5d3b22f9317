import { posix } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hiddenPart, isInside, closedReason } from './folder-rules.ts'

const part = fc.stringMatching(/^[a-z.]{1,6}$/).filter((name) => name !== '.' && name !== '..')
const path = fc.array(part, { maxLength: 5 }).map((parts) => posix.join('/', ...parts))

test('what is joined below a folder is inside, a sibling that begins alike is not', () => {
  fc.assert(
    fc.property(path, fc.array(part, { maxLength: 3 }), (folder, rest) => {
      expect(isInside(folder, posix.join(folder, ...rest))).toBe(true)
      if (folder !== '/') expect(isInside(folder, `${folder}x`)).toBe(false)
      if (folder !== '/') expect(isInside(folder, posix.dirname(folder))).toBe(false)
    }),
  )
})

test('names that begin with two dots are names', () => {
  expect(isInside('/a', '/a/..b')).toBe(true)
  expect(isInside('/a', '/b')).toBe(false)
})

test('hidden parts count below the folder only', () => {
  expect(hiddenPart('/home/u/.work', '/home/u/.work/a/b.mp4')).toBeUndefined()
  expect(hiddenPart('/home/u', '/home/u/.ssh/id')).toBe('.ssh')
  expect(hiddenPart('/home/u', '/home/u/a/.env')).toBe('.env')
})

test.each([
  '/',
  '/etc',
  '/etc/ssl',
  '/proc/self',
  '/dev/shm',
  '/usr',
  '/usr/lib/x',
  '/home',
  '/var',
  '/System/Library',
  '/private/etc/ssl',
  '/private/var',
])('%s is closed', (folder) => expect(closedReason(folder)).toBeTypeOf('string'))

test.each([
  '/home/u',
  '/root',
  '/tmp/x',
  '/usr/src/app',
  '/var/folders/x',
  '/run/media/u/disk',
  '/etcetera',
  '/workspace',
])('%s is open', (folder) => expect(closedReason(folder)).toBeUndefined())
