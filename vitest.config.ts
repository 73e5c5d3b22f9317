import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** They start services in their own process and leave nothing behind in it; two measure its memory and have their own. */
const services = 'test/http/!(attacks|flat-memory).test.ts'

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
    projects: [
      // Nothing of theirs outlives a test, so that many files can share a process and what it has loaded.
      { extends: true, test: { name: 'modules', include: ['{src,tools}/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: { name: 'services', include: [services], isolate: false, ...machine },
      },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: [services], ...machine },
      },
    ],
  },
})
