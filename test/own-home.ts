import { mkdir, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { compiledFolder } from '../src/platform/compile-cache.ts'

/** Gives a home folder of a test what was compiled before, as that of a user has it: else each program compiles all anew. */
export async function shareCompiled(home: string): Promise<void> {
  const [kept, here] = [join(homedir(), compiledFolder), join(home, compiledFolder)]
  await mkdir(kept, { recursive: true })
  await mkdir(dirname(here), { recursive: true })
  await symlink(kept, here)
}
