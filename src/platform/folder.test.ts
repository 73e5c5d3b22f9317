import { mkdir, mkdtempDisposable, readdir, realpath, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  cloudProvider,
  createFolder,
  freeSpace,
  networkFileSystem,
  parseLinuxMounts,
  parseMacMounts,
  resolveLinks,
  unsafeFolderReason,
} from './folder.ts'

test('concurrent calls create a folder with its parents; an existing folder stays unchanged', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'folder-'))
  // Often enough that calls interleave.
  const rounds = Array.from({ length: 100 }, (_, round) => join(folder.path, String(round), 'b', 'c'))
  for (const one of rounds) await Promise.all(Array.from({ length: 8 }, () => createFolder(one, 0o700)))
  const [deep = ''] = rounds
  for (const path of [deep, join(deep, '..')]) expect((await stat(path)).mode & 0o777).toBe(0o700)
  await writeFile(join(deep, 'file'), '')
  await createFolder(deep)
  expect(await readdir(deep)).toEqual(['file'])
  for (const path of [join(deep, 'file'), join(deep, 'file', 'x')]) {
    await expect(createFolder(path)).rejects.toThrow(/EEXIST|ENOTDIR/)
  }
})

test.runIf(process.platform === 'linux').for(['/proc/a', '/proc/a/b/c'])(
  '%s cannot be created, and fails immediately',
  async (path) => {
    await expect(createFolder(path)).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/a' })
  },
)

test('free space is a plausible number of bytes', async () => {
  expect(await freeSpace(tmpdir())).toBeGreaterThan(2 ** 20)
})

test('a local folder is accepted, also before it exists', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'folder-'))
  expect(await unsafeFolderReason(folder.path)).toBeNull()
  expect(await unsafeFolderReason(join(folder.path, 'not', 'yet'))).toBeNull()
})

test('a cloud folder is rejected by its name, also before it exists and through a link', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'folder-'))
  const refusal = 'it is synchronised by Dropbox'
  expect(await unsafeFolderReason(join(folder.path, 'Dropbox', 'data'))).toBe(refusal)
  await mkdir(join(folder.path, 'Dropbox'))
  await symlink(join(folder.path, 'Dropbox'), join(folder.path, 'plain'))
  expect(await unsafeFolderReason(join(folder.path, 'plain', 'data'))).toBe(refusal)
})

test.each([
  ['/Users/a/Library/Mobile Documents/com~apple~CloudDocs/x', 'iCloud Drive'],
  ['/Users/a/Library/CloudStorage/OneDrive-Personal/x', 'OneDrive'],
  ['/Users/a/Library/CloudStorage/GoogleDrive-a@b.example/My Drive', 'Google Drive'],
  ['/Users/a/Library/CloudStorage/Dropbox-Team/x', 'Dropbox'],
  [String.raw`C:\Users\a\OneDrive - Firm\Videos`, 'OneDrive'],
  [String.raw`C:\Users\a\iCloudDrive\x`, 'iCloud Drive'],
  ['/home/a/Dropbox (Personal)/x', 'Dropbox'],
  ['/home/a/.local/share/reelwright', null],
  ['/home/a/dropboxes/my-onedrive-tool', null],
])('%s belongs to %s', (path, cloud) => {
  expect(cloudProvider(path)).toBe(cloud)
})

const linux = parseLinuxMounts(
  [
    '/dev/vda / ext4 rw 0 0',
    'server:/export /home nfs4 rw 0 0',
    String.raw`//server/share /mnt/my\040share cifs rw 0 0`,
    'host:/x /mnt/far fuse.sshfs rw 0 0',
    'drvfs /mnt/c 9p rw 0 0',
    '/dev/vdb /mnt/c/local ext4 rw 0 0',
    'server:/a /srv nfs rw 0 0',
    '/dev/vdc /srv ext4 rw 0 0',
    '',
  ].join('\n'),
)

test.each([
  ['/var/data', null],
  ['/home/a/data', 'nfs4'],
  ['/home', 'nfs4'],
  ['/homework', null],
  ['/mnt/my share/x', 'cifs'],
  ['/mnt/far', 'fuse.sshfs'],
  ['/mnt/c/Users', '9p'],
  ['/mnt/c/local/x', null],
  ['/srv/x', null],
])('%s is on %s', (path, type) => {
  expect(networkFileSystem(linux, path)).toBe(type)
})

test('mounts of macOS are parsed', () => {
  const list = parseMacMounts(
    [
      '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
      '//a@server/share on /Volumes/Team (Video) (smbfs, nodev, nosuid, mounted by a)',
    ].join('\n'),
  )
  expect(networkFileSystem(list, '/Volumes/Team (Video)/x')).toBe('smbfs')
  expect(networkFileSystem(list, '/Users/a')).toBeNull()
})

test('resolveLinks resolves the existing part of a path, and follows dangling links', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'real-path-'))
  const base = await realpath(folder.path)
  await mkdir(join(base, 'a'))
  await writeFile(join(base, 'a', 'file'), '')
  const links = {
    'to-a': 'a',
    'to-nothing': 'a/nothing',
    'a/up': '../to-nothing',
    out: '/nowhere/at/all',
    circle: 'circle',
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(base, name))
  const resolved = async (path: string) => (await resolveLinks(join(base, path))).replace(base, '~')
  expect(await resolved('to-a/file')).toBe('~/a/file')
  expect(await resolved('to-a/x/y')).toBe('~/a/x/y')
  expect(await resolved('a/file/x')).toBe('~/a/file/x')
  expect(await resolved('to-a/up/x')).toBe('~/a/nothing/x')
  expect(await resolved('out/x')).toBe('/nowhere/at/all/x')
  expect(await resolved('circle/x')).toBe('~/circle/x')
  expect(await resolveLinks('/')).toBe('/')
})
