import { expect, test } from 'vitest'
import { isLoopback, ownOrigin } from './loopback.ts'

test.each(['localhost', 'LocalHost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true)
})

test.each([
  '',
  '0.0.0.0',
  '::',
  '[::]',
  '10.0.0.1',
  '127.0.0.1.example.com',
  '127.example.com',
  'localhost.example',
])('%j is not loopback', (host) => {
  expect(isLoopback(host)).toBe(false)
})

test.each([
  ['localhost:8788', undefined, 'http://localhost:8788'],
  ['127.0.0.1:80', undefined, 'http://127.0.0.1'],
  ['LocalHost', 'media.example.com', 'http://localhost'],
  ['media.example.com', 'media.example.com', 'https://media.example.com'],
  ['Media.Example.com:443', 'media.example.com', 'https://media.example.com'],
  ['media.example.com:8788', 'media.example.com', undefined],
  ['media.example.com', undefined, undefined],
  ['evil.example', 'media.example.com', undefined],
  [undefined, 'media.example.com', undefined],
] as const)('Host %j with the public host %j gives the origin %j', (host, publicHost, origin) => {
  expect(ownOrigin(host, publicHost)).toBe(origin)
})
