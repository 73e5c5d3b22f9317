import { appendFile, mkdtemp, realpath, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkUnchanged, openFolderFile } from './material-file.ts'

type Change = (path: string, other: string) => Promise<void>

/** What may happen to a file while programs read it by its path, as they do where open files have no paths. */
const changes: Readonly<Record<string, Change>> = {
  'replaced by another one': (path, other) => rename(other, path),
  'replaced for a time': async (path, other) => {
    await rename(path, `${path}.away`)
    await rename(other, path)
    await rename(path, other)
    await rename(`${path}.away`, path)
  },
  'written to, with its time restored': async (path) => {
    const { atime, mtime } = await stat(path)
    await writeFile(path, 'bits')
    await utimes(path, atime, mtime)
  },
  'appended to': (path) => appendFile(path, 'more'),
  'replaced by a link to another one': async (path, other) => {
    await rm(path)
    await symlink(other, path)
  },
  deleted: (path) => rm(path),
}

// Windows does not rename or delete files that are open, and creates no links without a permission.
test.skipIf(process.platform === 'win32').for(Object.entries(changes))(
  'a file that was %s while it was read is changed',
  async ([, change]) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'reelwright-material-file-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'a.png'), 'text')
    await writeFile(join(folder, 'other.png'), 'text')
    await using opened = await openFolderFile(folder, 'a.png')
    await checkUnchanged(folder, 'a.png', opened)
    await change(join(folder, 'a.png'), join(folder, 'other.png'))
    await expect(checkUnchanged(folder, 'a.png', opened)).rejects.toThrow(/changed|ELOOP|ENOENT/)
  },
)
