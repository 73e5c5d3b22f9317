import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { chmod, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createAllowedFolders, readAllowed } from '../../test/mcp/allowed-folders.ts'
import { openAllowedFile, openAllowedFolder } from './open-allowed.ts'
import { createWorkspace } from './workspace.ts'

describe('openAllowedFile', () => {
  test('opens a file inside an allowed folder, however its path is written', async () => {
    await using at = await createAllowedFolders()
    await symlink(join(at.inside, 'clip.mp4'), join(at.outside, 'way-in.mp4'))
    const paths = ['clip.mp4', './clip.mp4', '../inside/clip.mp4', join(at.inside, 'clip.mp4')]
    paths.push(`file://${at.inside}/clip.mp4`, join(at.outside, 'way-in.mp4'))
    for (const path of paths) expect(await readAllowed(at.folders, path)).toBe('clip')
  })

  test('a file is settled if its last change was some seconds ago, so that the next one shows', async () => {
    await using at = await createAllowedFolders()
    const isSettled = async (now: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now })
      try {
        const file = await openAllowedFile(at.folders, 'clip.mp4')
        await file.handle.close()
        return file.isSettled
      } finally {
        vi.useRealTimers()
      }
    }
    const { ctimeMs } = await stat(join(at.inside, 'clip.mp4'))
    expect([await isSettled(ctimeMs + 1000), await isSettled(ctimeMs + 3000)]).toEqual([false, true])
  })

  test('never opens a file outside, neither through links nor through parent folders', async () => {
    await using at = await createAllowedFolders()
    await symlink(join(at.outside, 'secret.mp4'), join(at.inside, 'link.mp4'))
    await symlink(at.outside, join(at.inside, 'folder'))
    await symlink('link.mp4', join(at.inside, 'link-to-link.mp4'))
    const paths = ['link.mp4', 'folder/secret.mp4', 'link-to-link.mp4', '../outside/secret.mp4']
    paths.push(join(at.outside, 'secret.mp4'))
    for (const path of paths)
      await expect(readAllowed(at.folders, path)).rejects.toMatchObject({ code: 6016 })
    await expect(readAllowed(at.folders, 'link.mp4')).rejects.toMatchObject({
      message: expect.stringContaining(at.inside),
      hint: expect.stringContaining('--allow-dir'),
    })
  })

  test('errors reveal nothing about files outside: an existing file, a missing one, a locked folder', async () => {
    await using at = await createAllowedFolders()
    await mkdir(join(at.outside, 'closed'), 0)
    await symlink(at.outside, join(at.inside, 'folder'))
    for (const [index, target] of ['secret.mp4', 'none.mp4', 'none/none.mp4'].entries()) {
      await symlink(join(at.outside, target), join(at.inside, `to-${index}.mp4`))
    }
    await symlink('to-1.mp4', join(at.inside, 'to-link.mp4'))
    const targets = ['secret.mp4', 'none.mp4', 'none/none.mp4', 'secret.mp4/x.mp4', '.', 'closed/x.mp4', '.x']
    const paths = [
      'to-0.mp4',
      'to-1.mp4',
      'to-2.mp4',
      'to-link.mp4',
      '/proc/self/cwd/x.mp4',
      '/',
      '/etc/passwd',
    ]
    paths.push(...targets.flatMap((name) => [`../outside/${name}`, `folder/${name}`, join(at.outside, name)]))
    const outside = (path: string) => ({
      code: 6016,
      message: `${path} is outside the allowed folders: ${at.inside}`,
    })
    for (const path of paths) {
      await expect(readAllowed(at.folders, path), path).rejects.toMatchObject(outside(path))
      await expect(openAllowedFolder(at.folders, path), path).rejects.toMatchObject(outside(path))
    }
    await chmod(join(at.outside, 'closed'), 0o700)
  })

  test('reports a circular link as a missing file', async () => {
    await using at = await createAllowedFolders()
    await symlink('loop.mp4', join(at.inside, 'loop.mp4'))
    await expect(readAllowed(at.folders, 'loop.mp4')).rejects.toMatchObject({ code: 6004 })
    await expect(openAllowedFolder(at.folders, 'loop.mp4/x')).rejects.toMatchObject({ code: 6004 })
  })

  test('never opens a file outside when a file is replaced by a link at any moment', async () => {
    await using at = await createAllowedFolders()
    const target = join(at.inside, 'race.mp4')
    await symlink(join(at.outside, 'secret.mp4'), join(at.inside, 'bad'))
    await writeFile(join(at.inside, 'good'), 'clip')
    const end = new AbortController()
    const exchange = (async () => {
      for (let turn = 0; !end.signal.aborted; turn += 1) {
        await symlink(join(at.outside, 'secret.mp4'), join(at.inside, 'next'))
        await rename(join(at.inside, 'next'), target)
        await writeFile(join(at.inside, 'next'), 'clip')
        await rename(join(at.inside, 'next'), target)
        // Varies the offset to the reader in each turn.
        for (let left = turn % 11; left > 0; left -= 1) await stat(target)
      }
    })()
    const seen = new Set<string>()
    const expected = ['clip', 'error 6016']
    // The first reads may precede the file.
    for (let round = 0; round < 300 || !expected.every((one) => seen.has(one)); round += 1) {
      seen.add(
        await readAllowed(at.folders, 'race.mp4').catch((error: { code?: number }) => `error ${error.code}`),
      )
    }
    end.abort()
    await exchange
    expect(seen).not.toContain('secret')
  })

  test('rejects hidden, special, empty and unsupported files', async () => {
    await using at = await createAllowedFolders()
    await mkdir(join(at.inside, '.git'))
    await writeFile(join(at.inside, '.git', 'a.mp4'), 'x')
    await writeFile(join(at.inside, '.a.mp4'), 'x')
    await symlink('.a.mp4', join(at.inside, 'to-hidden.mp4'))
    await writeFile(join(at.inside, 'empty.mp4'), '')
    await writeFile(join(at.inside, 'a.exe'), 'x')
    execFileSync('mkfifo', [join(at.inside, 'fifo.mp4')])
    await symlink('/dev/zero', join(at.inside, 'zero.mp4'))
    const socket = createServer().listen(join(at.inside, 'socket.mp4'))
    const cases: [string, number][] = [
      ['.git/a.mp4', 6016],
      ['.a.mp4', 6016],
      ['to-hidden.mp4', 6016],
      ['fifo.mp4', 6016],
      ['zero.mp4', 6016],
      ['socket.mp4', 6016],
      ['.', 6016],
      ['a\0b.mp4', 6016],
      ['file://host/a.mp4', 6016],
      ['empty.mp4', 6011],
      ['a.exe', 6001],
      ['nothing.mp4', 6004],
      ['clip.mp4/x.mp4', 6004],
    ]
    for (const [path, code] of cases) {
      expect([
        path,
        await readAllowed(at.folders, path).catch((error: { code?: number }) => error.code),
      ]).toEqual([path, code])
    }
    socket.close()
  })
})

test('a suggestion never names a hidden file', async () => {
  await using at = await createAllowedFolders()
  await writeFile(join(at.inside, '.walk.mp4'), 'x')
  await writeFile(join(at.inside, 'beach.mp4'), 'x')
  const hintOf = async (path: string) =>
    openAllowedFile(at.folders, path).catch((error: { hint?: string }) => error.hint)
  expect(await hintOf('walk.mp4')).not.toContain('Did you mean')
  expect(await hintOf('beech.mp4')).toContain('Did you mean beach.mp4?')
})

describe('openAllowedFolder', () => {
  test('creates missing folders, only inside an allowed folder', async () => {
    await using at = await createAllowedFolders()
    await using folder = await openAllowedFolder(at.folders, 'a/b/c')
    await writeFile(join(folder.base, 'x.txt'), 'x')
    expect(folder.path).toBe(join(at.inside, 'a/b/c'))
    expect(await readFile(join(at.inside, 'a/b/c/x.txt'), 'utf8')).toBe('x')
    await symlink(at.outside, join(at.inside, 'out'))
    await symlink(join(at.outside, 'nothing'), join(at.inside, 'dangling'))
    await symlink(join(at.inside, 'later'), join(at.inside, 'to-later'))
    const outside = ['out', 'out/new', '../outside/new', '/tmp', 'dangling', 'dangling/new']
    for (const path of [...outside, '.hidden', 'a/.hidden/b']) {
      await expect(openAllowedFolder(at.folders, path)).rejects.toMatchObject({ code: 6016 })
    }
    await expect(openAllowedFolder(at.folders, 'to-later/new')).rejects.toMatchObject({ code: 6004 })
    await expect(openAllowedFolder(at.folders, 'clip.mp4/new')).rejects.toMatchObject({ code: 6016 })
    await expect(readFile(join(at.outside, 'new'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test.runIf(process.platform === 'linux')(
    'an opened folder stays the same when its path is replaced',
    async () => {
      await using at = await createAllowedFolders()
      await using folder = await openAllowedFolder(at.folders, 'results')
      await rename(join(at.inside, 'results'), join(at.inside, 'moved'))
      await symlink(at.outside, join(at.inside, 'results'))
      await writeFile(join(folder.base, 'x.txt'), 'x')
      expect(await readFile(join(at.inside, 'moved/x.txt'), 'utf8')).toBe('x')
      await expect(readFile(join(at.outside, 'x.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
    },
  )
})

describe('createWorkspace', () => {
  test('uses the settings, otherwise the roots of the client, otherwise the default', async () => {
    await using at = await createAllowedFolders()
    const defaultFolder = join(at.path, 'default')
    const configured = createWorkspace({
      allowedFolders: [at.outside],
      projectFolder: at.inside,
      defaultFolder,
    })
    configured.setRoots(Promise.resolve([at.path]))
    expect(await configured.folders()).toEqual({
      workspace: at.inside,
      allowed: [at.inside, at.outside],
      refused: [],
      privateFolders: [],
      isDefault: false,
    })
    const unconfigured = createWorkspace({ allowedFolders: [], defaultFolder })
    unconfigured.setRoots(Promise.resolve([at.inside, '/', '/etc']))
    expect(await unconfigured.folders()).toMatchObject({
      workspace: at.inside,
      refused: [{ folder: '/' }, { folder: '/etc' }],
    })
    unconfigured.setRoots(Promise.reject(new Error('the client does not respond')))
    expect(await unconfigured.folders()).toEqual({
      workspace: defaultFolder,
      allowed: [defaultFolder],
      refused: [],
      privateFolders: [],
      isDefault: true,
    })
  })

  test('a configured workspace is created if it is missing', async () => {
    await using at = await createAllowedFolders()
    const workspace = join(at.path, 'created')
    const created = createWorkspace({
      allowedFolders: [at.inside],
      workspace,
      defaultFolder: join(at.path, 'default'),
    })
    expect(await created.folders()).toMatchObject({ workspace, allowed: [workspace, at.inside] })
  })
  test.runIf(process.platform === 'linux')(
    'a folder that cannot be created is reported immediately',
    async () => {
      await using at = await createAllowedFolders()
      await symlink('/proc', join(at.inside, 'closed'))
      const workspace = join(at.inside, 'closed/reelwright/work')
      const defaultFolder = '/proc/reelwright/work'
      const both = createWorkspace({ allowedFolders: [at.outside], workspace, defaultFolder })
      expect(await both.folders()).toMatchObject({ workspace: at.outside, refused: [{ folder: workspace }] })
      const neither = createWorkspace({ allowedFolders: [], defaultFolder })
      await expect(neither.folders()).rejects.toMatchObject({
        code: 6016,
        message: expect.stringContaining(defaultFolder),
      })
    },
  )
})
