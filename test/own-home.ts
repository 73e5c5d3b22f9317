import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { compileCacheFolder } from '../src/platform/runtime.ts'

/** What lets programs start from sources as quickly as installed, where they get no other of this environment. */
export const startingQuickly: Readonly<Record<string, string>> = {
  NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '',
}

/** Gives a home folder of a test what others of the run compiled, as that of a user has it after its first start. */
export async function shareCompiled(home: string): Promise<void> {
  const here = join(home, compileCacheFolder)
  await mkdir(dirname(here), { recursive: true })
  await symlink(inject('compiled'), here)
}
