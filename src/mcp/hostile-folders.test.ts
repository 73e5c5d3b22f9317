import { execFileSync } from 'node:child_process'
import { link, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAllowedFolders, readAllowed, startSwapper } from '../../test/mcp/allowed-folders.ts'
import { holdFolder, holdSubfolder } from '../platform/held-folder.ts'
import { openAllowedFolder } from './open-allowed.ts'
import { createWorkspace } from './workspace.ts'

test.skipIf(process.platform === 'win32')(
  'no folder is created outside while a folder on the path is replaced by a link',
  async () => {
    await using at = await createAllowedFolders()
    await mkdir(join(at.inside, 'race'))
    const outcomes = new Map<string, number>()
    const retryable: unknown[] = []
    {
      await using _ = await startSwapper(join(at.inside, 'race'), at.outside)
      for (let round = 0; round < 400 || outcomes.size < 2; round += 1) {
        const outcome = await openAllowedFolder(at.folders, `race/${round}/b/c`).then(
          async (folder) => {
            await folder[Symbol.asyncDispose]()
            return 'created'
          },
          (error: { code?: number; retryable?: boolean; message: string }) => {
            if (!error.message.includes('outside the allowed')) retryable.push(error.retryable)
            return String(error.code)
          },
        )
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
    expect(await readdir(at.outside)).toEqual(['secret.mp4'])
    expect([...outcomes.keys()].toSorted()).toEqual(['6016', 'created'])
    expect(new Set(retryable)).toEqual(new Set([true]))
  },
)

describe.skipIf(process.platform === 'win32').each([true, false])(
  'openAllowedFolder with paths of descriptors: %s',
  (byDescriptor) => {
    const byPath = byDescriptor && process.platform !== 'linux' ? false : byDescriptor
    test('creates each missing level and keeps existing ones', async () => {
      await using at = await createAllowedFolders()
      for (const path of ['a/b', 'a/b/c', 'a/b/c']) {
        await using folder = await openAllowedFolder(at.folders, path, byPath)
        await writeFile(join(folder.base, 'x.txt'), 'x')
        expect(await readFile(join(at.inside, path, 'x.txt'), 'utf8')).toBe('x')
      }
    })

    test('removes a folder that was created in a parent that is not the opened one', async () => {
      await using at = await createAllowedFolders()
      await mkdir(join(at.inside, 'parent'))
      await using parent = await holdFolder(join(at.inside, 'parent'), byPath)
      await rename(join(at.inside, 'parent'), join(at.inside, 'moved'))
      await symlink(at.outside, join(at.inside, 'parent'))
      const check = async (real: string): Promise<void> => {
        if (!real.startsWith(`${at.inside}/`)) throw new Error('outside')
      }
      const created = holdSubfolder(parent, 'new', { check, byDescriptor: byPath })
      if (byPath) {
        await using folder = await created
        expect(folder.path).toBe(join(at.inside, 'moved/new'))
      } else {
        await expect(created).rejects.toThrow(/changed while it was opened|outside/)
      }
      expect(await readdir(at.outside)).toEqual(['secret.mp4'])
    })
  },
)

describe('folders of the service', () => {
  async function createPrivate() {
    const at = await createAllowedFolders()
    const data = join(at.inside, 'data')
    await mkdir(join(data, 'files'), { recursive: true })
    await writeFile(join(data, 'daemon.json'), '{"key":"secret"}')
    const privateFolders = [
      { path: data, use: 'data folder' },
      { path: join(data, 'daemon.json'), use: 'data folder' },
    ]
    return { ...at, data, folders: { ...at.folders, privateFolders } }
  }

  test('are refused before they exist as well', async () => {
    await using at = await createPrivate()
    await rm(at.data, { recursive: true })
    await symlink(at.data, join(at.inside, 'link'))
    for (const path of ['data', 'data/x', 'link', 'link/x/y']) {
      await expect(openAllowedFolder(at.folders, path), path).rejects.toMatchObject({
        code: 6016,
        message: `${path} is in the data folder ${at.data}, which only the service uses`,
        hint: expect.stringContaining(at.inside),
      })
    }
    await expect(stat(at.data)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('are recognised behind symbolic links on both sides, and by hard links', async () => {
    await using at = await createPrivate()
    await symlink(at.data, join(at.outside, 'data-link'))
    await link(join(at.data, 'daemon.json'), join(at.inside, 'other-name.json'))
    const privateFolders = [
      { path: join(at.outside, 'data-link'), use: 'data folder' },
      { path: join(at.outside, 'data-link/daemon.json'), use: 'data folder' },
    ]
    for (const path of ['data/daemon.json', 'other-name.json']) {
      await expect(readAllowed({ ...at.folders, privateFolders }, path), path).rejects.toMatchObject({
        code: 6016,
      })
    }
  })

  test('are never read or written when a path that leads there is exchanged at any moment', async () => {
    await using at = await createPrivate()
    await mkdir(join(at.inside, 'race'))
    await writeFile(join(at.inside, 'race/daemon.json'), 'plain')
    const seen = new Set<string>()
    {
      await using _ = await startSwapper(join(at.inside, 'race'), at.data)
      for (let round = 0; round < 300; round += 1) {
        seen.add(await readAllowed(at.folders, 'race/daemon.json').catch(() => 'rejected'))
        const folder = await openAllowedFolder(at.folders, `race/${round}`).catch(() => undefined)
        await folder?.[Symbol.asyncDispose]()
      }
    }
    expect(seen).not.toContain('{"key":"secret"}')
    expect((await readdir(at.data)).toSorted()).toEqual(['daemon.json', 'files'])
  })

  test('are not allowed themselves, nor folders inside them', async () => {
    await using at = await createPrivate()
    const { privateFolders } = at.folders
    const workspace = join(at.data, 'work')
    const created = createWorkspace({
      ...{ workspace, allowedFolders: [at.data, join(at.data, 'files'), at.inside], privateFolders },
      defaultFolder: join(at.outside, 'default'),
    })
    expect(await created.folders()).toMatchObject({
      allowed: [at.inside],
      refused: [{ folder: workspace }, { folder: at.data }, { folder: join(at.data, 'files') }],
    })
    await expect(stat(workspace)).rejects.toMatchObject({ code: 'ENOENT' })
    const none = createWorkspace({ allowedFolders: [], defaultFolder: workspace, privateFolders })
    await expect(none.folders()).rejects.toMatchObject({
      code: 6016,
      message: expect.stringContaining(`data folder ${at.data}`),
      hint: expect.stringContaining('--allow-dir'),
    })
  })

  test('are recognised through a bind mount, if this user may mount', async ({ skip }) => {
    await using at = await createPrivate()
    const mount = join(at.inside, 'mounted')
    await mkdir(mount)
    try {
      execFileSync('mount', ['--bind', at.data, mount], { stdio: 'ignore' })
    } catch {
      skip('mounting needs root and its capabilities')
    }
    try {
      await expect(readAllowed(at.folders, 'mounted/daemon.json')).rejects.toMatchObject({ code: 6016 })
      await expect(openAllowedFolder(at.folders, 'mounted/new')).rejects.toMatchObject({ code: 6016 })
    } finally {
      execFileSync('umount', [mount])
    }
  })
})
