import { mkdir, mkdtempDisposable, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloudOf, freeSpace, networkTypeOf, parseLinuxMounts, parseMacMounts, whyUnsafe } from './folder.ts'

test('free space is a plausible number of bytes', async () => {
  expect(await freeSpace(tmpdir())).toBeGreaterThan(2 ** 20)
})

test('a local folder is fine, also before it exists', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'folder-'))
  expect(await whyUnsafe(folder.path)).toBeNull()
  expect(await whyUnsafe(join(folder.path, 'not', 'yet'))).toBeNull()
})

test('a cloud folder is refused by name, also before it exists and through a link', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'folder-'))
  const refusal = 'it is synchronised by Dropbox'
  expect(await whyUnsafe(join(folder.path, 'Dropbox', 'data'))).toBe(refusal)
  await mkdir(join(folder.path, 'Dropbox'))
  await symlink(join(folder.path, 'Dropbox'), join(folder.path, 'plain'))
  expect(await whyUnsafe(join(folder.path, 'plain', 'data'))).toBe(refusal)
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
  expect(cloudOf(path)).toBe(cloud)
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
])('%s lies on %s', (path, type) => {
  expect(networkTypeOf(linux, path)).toBe(type)
})

test('the mounts of macOS are read', () => {
  const list = parseMacMounts(
    [
      '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
      '//a@server/share on /Volumes/Team (Video) (smbfs, nodev, nosuid, mounted by a)',
    ].join('\n'),
  )
  expect(networkTypeOf(list, '/Volumes/Team (Video)/x')).toBe('smbfs')
  expect(networkTypeOf(list, '/Users/a')).toBeNull()
})
