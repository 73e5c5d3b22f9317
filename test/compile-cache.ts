import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { compileCacheFolder } from '../src/platform/runtime.ts'

/** Variables that let programs start from sources as quickly as installed ones, for otherwise empty environments. */
export const fastStartEnvironment: Readonly<Record<string, string>> = {
  NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '',
}

/** Links the compile cache of the run into a home folder, as a user has one after the first start. */
export async function linkCompileCache(home: string): Promise<void> {
  const link = join(home, compileCacheFolder)
  await mkdir(dirname(link), { recursive: true })
  await symlink(inject('compileCache'), link)
}
