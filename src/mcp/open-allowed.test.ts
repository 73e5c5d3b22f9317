import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { chmod, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/mcp/temporary-folder.ts'
import { openAllowedFile, openAllowedFolder } from './open-allowed.ts'
import { createWorkspace, type Folders } from './workspace.ts'

async function place() {
  const scratch = await temporaryFolder()
  const [inside, outside] = [join(scratch.path, 'inside'), join(scratch.path, 'outside')]
  await mkdir(inside)
  await mkdir(outside)
  await writeFile(join(inside, 'clip.mp4'), 'clip')
  await writeFile(join(outside, 'secret.mp4'), 'secret')
  const folders: Folders = { workspace: inside, allowed: [inside], refused: [], isDefault: false }
  return { ...scratch, inside, outside, folders, [Symbol.asyncDispose]: scratch[Symbol.asyncDispose] }
}

async function read(folders: Folders, given: string): Promise<string> {
  const { handle } = await openAllowedFile(folders, given)
  await using opened = handle
  return await opened.readFile('utf8')
}

describe('reading', () => {
  test('a file inside, by every way to write it', async () => {
    await using at = await place()
    await symlink(join(at.inside, 'clip.mp4'), join(at.outside, 'way-in.mp4'))
    const ways = ['clip.mp4', './clip.mp4', '../inside/clip.mp4', join(at.inside, 'clip.mp4')]
    ways.push(`file://${at.inside}/clip.mp4`, join(at.outside, 'way-in.mp4'))
    for (const way of ways) expect(await read(at.folders, way)).toBe('clip')
  })

  test('never a file outside, whatever leads there', async () => {
    await using at = await place()
    await symlink(join(at.outside, 'secret.mp4'), join(at.inside, 'link.mp4'))
    await symlink(at.outside, join(at.inside, 'folder'))
    await symlink('link.mp4', join(at.inside, 'link-to-link.mp4'))
    const ways = ['link.mp4', 'folder/secret.mp4', 'link-to-link.mp4', '../outside/secret.mp4']
    ways.push(join(at.outside, 'secret.mp4'))
    for (const way of ways) await expect(read(at.folders, way)).rejects.toMatchObject({ code: 6016 })
    await expect(read(at.folders, 'link.mp4')).rejects.toMatchObject({
      message: expect.stringContaining(at.inside),
      hint: expect.stringContaining('--allow-dir'),
    })
  })

  test('errors reveal nothing about files outside: an existing file, a missing one, a locked folder', async () => {
    await using at = await place()
    await mkdir(join(at.outside, 'closed'), 0)
    await symlink(at.outside, join(at.inside, 'folder'))
    for (const [index, target] of ['secret.mp4', 'none.mp4', 'none/none.mp4'].entries()) {
      await symlink(join(at.outside, target), join(at.inside, `to-${index}.mp4`))
    }
    await symlink('to-1.mp4', join(at.inside, 'to-link.mp4'))
    const places = ['secret.mp4', 'none.mp4', 'none/none.mp4', 'secret.mp4/x.mp4', '.', 'closed/x.mp4', '.x']
    const ways = [
      'to-0.mp4',
      'to-1.mp4',
      'to-2.mp4',
      'to-link.mp4',
      '/proc/self/cwd/x.mp4',
      '/',
      '/etc/passwd',
    ]
    ways.push(...places.flatMap((name) => [`../outside/${name}`, `folder/${name}`, join(at.outside, name)]))
    const outside = (way: string) => ({
      code: 6016,
      message: `${way} is outside the allowed folders: ${at.inside}`,
    })
    for (const way of ways) {
      await expect(read(at.folders, way), way).rejects.toMatchObject(outside(way))
      await expect(openAllowedFolder(at.folders, way), way).rejects.toMatchObject(outside(way))
    }
    await chmod(join(at.outside, 'closed'), 0o700)
  })

  test('a link that leads in a circle is no file', async () => {
    await using at = await place()
    await symlink('loop.mp4', join(at.inside, 'loop.mp4'))
    await expect(read(at.folders, 'loop.mp4')).rejects.toMatchObject({ code: 6004 })
    await expect(openAllowedFolder(at.folders, 'loop.mp4/x')).rejects.toMatchObject({ code: 6004 })
  })

  test('a file exchanged for a link at any moment never leads outside', async () => {
    await using at = await place()
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
        // Out of step with the reader, for other moments in each turn.
        for (let left = turn % 11; left > 0; left -= 1) await stat(target)
      }
    })()
    const seen = new Set<string>()
    for (let round = 0; round < 300 || seen.size < 2; round += 1) {
      seen.add(await read(at.folders, 'race.mp4').catch((error: { code?: number }) => `error ${error.code}`))
    }
    end.abort()
    await exchange
    expect([...seen].toSorted()).toEqual(expect.arrayContaining(['clip', 'error 6016']))
    expect(seen).not.toContain('secret')
  })

  test('no hidden, special, empty or foreign files', async () => {
    await using at = await place()
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
    for (const [given, code] of cases) {
      expect([given, await read(at.folders, given).catch((error: { code?: number }) => error.code)]).toEqual([
        given,
        code,
      ])
    }
    socket.close()
  })
})

test('what may be meant is nothing hidden', async () => {
  await using at = await place()
  await writeFile(join(at.inside, '.walk.mp4'), 'x')
  await writeFile(join(at.inside, 'beach.mp4'), 'x')
  const hintOf = async (given: string) =>
    openAllowedFile(at.folders, given).catch((error: { hint?: string }) => error.hint)
  expect(await hintOf('walk.mp4')).not.toContain('Did you mean')
  expect(await hintOf('beech.mp4')).toContain('Did you mean beach.mp4?')
})

describe('writing', () => {
  test('makes what is missing, inside only', async () => {
    await using at = await place()
    await using folder = await openAllowedFolder(at.folders, 'a/b/c')
    await writeFile(join(folder.base, 'x.txt'), 'x')
    expect(folder.path).toBe(join(at.inside, 'a/b/c'))
    expect(await readFile(join(at.inside, 'a/b/c/x.txt'), 'utf8')).toBe('x')
    await symlink(at.outside, join(at.inside, 'out'))
    await symlink(join(at.outside, 'nothing'), join(at.inside, 'dangling'))
    await symlink(join(at.inside, 'later'), join(at.inside, 'to-later'))
    const outside = ['out', 'out/new', '../outside/new', '/tmp', 'dangling', 'dangling/new']
    for (const given of [...outside, '.hidden', 'a/.hidden/b']) {
      await expect(openAllowedFolder(at.folders, given)).rejects.toMatchObject({ code: 6016 })
    }
    await expect(openAllowedFolder(at.folders, 'to-later/new')).rejects.toMatchObject({ code: 6004 })
    await expect(openAllowedFolder(at.folders, 'clip.mp4/new')).rejects.toMatchObject({ code: 6016 })
    await expect(readFile(join(at.outside, 'new'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test.runIf(process.platform === 'linux')(
    'an opened folder stays what it was when its path is exchanged',
    async () => {
      await using at = await place()
      await using folder = await openAllowedFolder(at.folders, 'results')
      await rename(join(at.inside, 'results'), join(at.inside, 'moved'))
      await symlink(at.outside, join(at.inside, 'results'))
      await writeFile(join(folder.base, 'x.txt'), 'x')
      expect(await readFile(join(at.inside, 'moved/x.txt'), 'utf8')).toBe('x')
      await expect(readFile(join(at.outside, 'x.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
    },
  )
})

describe('the workspace', () => {
  test('settings come first, then roots, then the default', async () => {
    await using at = await place()
    const defaultFolder = join(at.path, 'default')
    const settled = createWorkspace({ allowedFolders: [at.outside], projectFolder: at.inside, defaultFolder })
    settled.setRoots(Promise.resolve([at.path]))
    expect(await settled.folders()).toEqual({
      workspace: at.inside,
      allowed: [at.inside, at.outside],
      refused: [],
      isDefault: false,
    })
    const unset = createWorkspace({ allowedFolders: [], defaultFolder })
    unset.setRoots(Promise.resolve([at.inside, '/', '/etc']))
    expect(await unset.folders()).toMatchObject({
      workspace: at.inside,
      refused: [{ folder: '/' }, { folder: '/etc' }],
    })
    unset.setRoots(Promise.reject(new Error('the client does not answer')))
    expect(await unset.folders()).toEqual({
      workspace: defaultFolder,
      allowed: [defaultFolder],
      refused: [],
      isDefault: true,
    })
  })

  test('a set workspace is made when it is missing', async () => {
    await using at = await place()
    const workspace = join(at.path, 'made')
    const made = createWorkspace({
      allowedFolders: [at.inside],
      workspace,
      defaultFolder: join(at.path, 'default'),
    })
    expect(await made.folders()).toMatchObject({ workspace, allowed: [workspace, at.inside] })
  })
  test.runIf(process.platform === 'linux')(
    'a folder that cannot be created is reported immediately',
    async () => {
      await using at = await place()
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
