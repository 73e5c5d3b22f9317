import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each(['localhost', 'LocalHost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

test.each([
  '',
  '0.0.0.0',
  '::',
  '[::]',
  '10.0.0.1',
  '127.0.0.1.example.com',
  '127.example.com',
  'localhost.example',
])('%j is not', (host) => {
  expect(isLoopback(host)).toBe(false)
})
