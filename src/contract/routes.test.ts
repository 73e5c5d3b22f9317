import { expect, test } from 'vitest'
import { fillPath } from './routes.ts'

test.each([
  ['a/b?c=d#e', '/task/a%2Fb%3Fc%3Dd%23e'],
  ['..', '/task/%EF%BF%BD'],
  ['.', '/task/%EF%BF%BD'],
  // A lone surrogate, which JSON may contain, cannot be percent-encoded.
  ['\ud800', '/task/%EF%BF%BD'],
])('fillPath encodes %j as %s', (value, path) => {
  expect(fillPath('/task/{task_id}', { task_id: value })).toBe(path)
})
