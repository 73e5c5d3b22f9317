import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{src,tools,test}/**/*.test.ts'],
    setupFiles: ['test/setup/isolate.ts'],
    // Tests start real processes and encode real video; two cores are shared by all of them.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
