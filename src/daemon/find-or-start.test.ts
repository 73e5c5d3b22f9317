import { expect, test } from 'vitest'
import { daemonEnvironment, isNewerVersion } from './find-or-start.ts'

test('a daemon inherits system variables and no settings of its first client', () => {
  const inherited = {
    PATH: '/bin',
    HOME: '/home/a',
    LANG: 'C',
    TMPDIR: '/tmp',
    Path: 'C:\\',
    SystemRoot: 'C:\\Windows',
  }
  const dropped = {
    REELWRIGHT_API_KEY: 'k',
    NODE_OPTIONS: '--require /x',
    LD_PRELOAD: '/x.so',
    DATABASE_URL: 'postgres://',
    CLAUDE_PROJECT_DIR: '/work',
  }
  expect(daemonEnvironment({ ...inherited, ...dropped })).toEqual(inherited)
})

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
    for (const [other, reference] of ascending.entries())
      expect(isNewerVersion(version, reference), `${version} > ${reference}`).toBe(index > other)
})

test.each(['', 'latest', '1.0', 'v1.0.0', '1.0.0.0'])(
  '%j is not a version: neither newer nor older',
  (invalid) => {
    expect(isNewerVersion(invalid, '1.0.0')).toBe(false)
    expect(isNewerVersion('1.0.0', invalid)).toBe(false)
  },
)

test('build metadata is ignored', () => {
  expect(isNewerVersion('1.0.0+2', '1.0.0+1')).toBe(false)
})
