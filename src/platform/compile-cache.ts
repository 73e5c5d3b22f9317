import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where it is kept in the user's own folder, where no other user can put what this one then runs. */
export const compileCacheFolder = join('.cache', 'reelwright', 'compiled')

/**
 * Keeps what Node compiles from now on, so that later processes start in half the processor time; where the folder
 * cannot be written, nothing is kept. V8 takes only what was compiled under its flags of now: set these first, and
 * leave the variable NODE_COMPILE_CACHE alone, by which processes of all flags would overwrite what others keep.
 */
export function enableUserCompileCache(): void {
  enableCompileCache(join(homedir(), compileCacheFolder))
}
