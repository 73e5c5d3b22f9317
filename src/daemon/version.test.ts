import { expect, test } from 'vitest'
import { isNewerVersion } from './version.ts'

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
      expect(isNewerVersion(version, than), `${version} > ${than}`).toBe(index > other)
})

test.each(['', 'latest', '1.0', 'v1.0.0', '1.0.0.0'])('%j is never newer nor older', (odd) => {
  expect(isNewerVersion(odd, '1.0.0')).toBe(false)
  expect(isNewerVersion('1.0.0', odd)).toBe(false)
})

test('build metadata does not count', () => {
  expect(isNewerVersion('1.0.0+2', '1.0.0+1')).toBe(false)
})
