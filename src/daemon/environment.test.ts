import { expect, test } from 'vitest'
import { daemonEnvironment } from './environment.ts'

test('a daemon gets what programs need and nothing that belongs to its first client', () => {
  const kept = {
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
  expect(daemonEnvironment({ ...kept, ...dropped })).toEqual(kept)
})
