import { expect, test } from 'vitest'
import { isSafeRedirect } from './allowed-url.ts'

test.each([
  ['https://models.example/a', 'https://127.0.0.1/a', false],
  ['https://models.example/a', 'http://localhost:8080/a', false],
  ['https://models.example/a', 'https://localhost./a', false],
  ['https://models.example/a', 'https://any.localhost/a', false],
  ['https://models.example/a', 'https://10.0.0.1/a', false],
  ['https://models.example/a', 'https://0xc0a80101/a', false],
  ['https://models.example/a', 'https://169.254.169.254/a', false],
  ['https://models.example/a', 'https://168.63.129.16/a', false],
  ['https://models.example/a', 'https://[::ffff:10.0.0.1]/a', false],
  ['https://models.example/a', 'https://[fd00::1]/a', false],
  ['https://models.example/a', 'http://cdn.example/a', false],
  ['https://models.example/a', 'https://cdn.example/a', true],
  ['https://models.example/a', 'https://8.8.8.8/a', true],
  ['https://10.0.0.1/a', 'https://10.0.0.2/a', true],
  ['https://localhost/a', 'http://127.0.0.1/a', true],
])('allows a redirect from %s to %s: %s', (start, next, isAllowed) => {
  expect(isSafeRedirect(new URL(start), next)).toBe(isAllowed)
})
