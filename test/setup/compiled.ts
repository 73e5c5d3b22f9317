import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what programs compile, kept for a run. */
    readonly compiled: string
  }
}

/** Programs that tests start with a home of their own share what they compile: else each compiles all anew. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-compiled-'))
  project.provide('compiled', folder)
  return () => rm(folder, { recursive: true, force: true })
}
