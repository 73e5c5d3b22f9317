import { expect, test } from 'vitest'
import { isNewer } from './version.ts'

const ascending = [
  '0.9.12',
  '0.10.0',
  '1.0.0-alpha.2',
  '1.0.0-alpha.10',
  '1.0.0-beta',
  '1.0.0',
  '1.0.1',
  '10.0.0',
]

test('versions are ordered by number, prereleases before their release', () => {
  for (const [index, version] of ascending.entries())
    for (const [other, than] of ascending.entries())
      expect(isNewer(version, than), `${version} > ${than}`).toBe(index > other)
})

test.each(['', 'latest', '1.0', 'v1.0.0', '1.0.0.0'])('%j is never newer nor older', (odd) => {
  expect(isNewer(odd, '1.0.0')).toBe(false)
  expect(isNewer('1.0.0', odd)).toBe(false)
})

test('build metadata does not count', () => {
  expect(isNewer('1.0.0+2', '1.0.0+1')).toBe(false)
})
