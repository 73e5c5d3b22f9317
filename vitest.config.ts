import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Suites that take minutes at full length: `npm run test:soak`. */
const soak = [
  'test/{day,fuzz}/**/*.test.ts',
  'test/http/flat-memory.test.ts',
  'test/pack.test.ts',
  'test/service/{crash,large-upload,power-cut,upload-crash}.test.ts',
]

/** They leave nothing behind in their process; those that measure its memory, kill or set packs have their own. */
const sharing = [
  'test/!(commands|contract-refusals|pack).test.ts',
  'test/http/!(attacks|flat-memory).test.ts',
  'test/{mcp,observe,page,tasks}/**/*.test.ts',
  'test/service/!(crash|large-upload|power-cut|upload-crash).test.ts',
]

/** Of all files that are more than modules: what the machine has is looked for once. */
const machine = {
  globalSetup: ['test/setup/postgres.ts', 'test/setup/find-ffmpeg.ts', 'test/setup/compiled.ts'],
  setupFiles: ['test/setup/isolate.ts', 'test/setup/use-ffmpeg.ts'],
}

export default defineConfig({
  test: {
    setupFiles: ['test/setup/isolate.ts'],
    // Most wait for processes of theirs: for their starts, their ends, and what is put off in between.
    maxWorkers: availableParallelism() + 2,
    // No test shows anything by them: they end what hangs, also on a machine that is slow or busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // They run in the order of their names: the longest files first, so that no single one is left at the end.
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [...sharing, ...soak], ...machine },
      },
      // Nothing of theirs outlives a test, so that many files can share a process and what it has loaded.
      { extends: true, test: { name: 'modules', include: ['{src,tools}/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'soak', include: soak, ...machine } },
      {
        extends: true,
        test: { name: 'sharing', include: sharing, isolate: false, ...machine },
      },
    ],
  },
})
