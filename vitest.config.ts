import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{src,tools,test}/**/*.test.ts'],
    setupFiles: ['test/setup/isolate.ts'],
    // Most wait for processes of theirs; by default one core would have no test.
    maxWorkers: availableParallelism(),
    // Tests start real processes and encode real video; two cores are shared by all of them.
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
})
