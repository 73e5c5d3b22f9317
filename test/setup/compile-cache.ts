import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the compile cache, kept for one run. */
    readonly compileCache: string
  }
}

/** Programs that tests start share one compile cache, although each has its own home folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-compiled-'))
  project.provide('compileCache', folder)
  return () => rm(folder, { recursive: true, force: true })
}
