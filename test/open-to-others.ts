import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** User and group nobody of Debian, for tests that run as root and start processes of another user. */
export const nobody = 65_534

/** Whether other users may enter all folders of a path. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o005) !== 0o005) return false
    if (folder === dirname(folder)) return true
  }
}
