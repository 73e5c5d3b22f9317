import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/mcp/temporary-folder.ts'
import { assertAllowed, closedReason, createWorkspace, hiddenPart } from './workspace.ts'

test('a workspace that cannot be created is reported, and the other folders are used', async () => {
  await using scratch = await temporaryFolder()
  const clips = join(scratch.path, 'clips')
  await mkdir(clips)
  await writeFile(join(scratch.path, 'file'), '')
  const workspace = join(scratch.path, 'file', 'work')
  const { folders } = createWorkspace({ workspace, allowedFolders: [clips], defaultFolder: clips })
  expect(await folders()).toEqual({
    workspace: clips,
    allowed: [clips],
    refused: [{ folder: workspace, why: expect.stringMatching(/does not exist/) }],
    isDefault: false,
    privateFolders: [],
  })
})

test('if no configured folder can be used, they are reported and the default is used', async () => {
  await using scratch = await temporaryFolder()
  const defaultFolder = join(scratch.path, 'default')
  const { folders } = createWorkspace({ allowedFolders: ['/path/to/media', '/etc'], defaultFolder })
  const current = await folders()
  expect(current).toMatchObject({ workspace: defaultFolder, isDefault: false })
  const outside = () => assertAllowed(current, join(scratch.path, 'a.mp4'), 'a.mp4')
  expect(outside).toThrow(
    expect.objectContaining({
      hint: expect.stringMatching(
        /\/path\/to\/media is configured but not used: it does not exist .*\. \/etc is configured but not used: it is a system/,
      ),
    }),
  )
})

test('a private folder that contains one of the user keeps only its own names', async () => {
  await using scratch = await temporaryFolder()
  const [films, models] = [join(scratch.path, 'films'), join(scratch.path, 'models')]
  await mkdir(join(films, 'work'), { recursive: true })
  await mkdir(models)
  await symlink(films, join(scratch.path, 'to-films'))
  const entry = (path: string) => ({ path, use: 'folder of a model', namesIfShared: /tokens/ })
  const paths = [films, join(scratch.path, 'to-films'), models, homedir(), tmpdir()]
  const created = createWorkspace({
    ...{ workspace: join(films, 'work'), allowedFolders: [films], defaultFolder: films },
    privateFolders: [...paths.map(entry), { path: join(scratch.path, 'data'), use: 'data folder' }],
  })
  const { allowed, refused, privateFolders } = await created.folders()
  expect({ allowed, refused }).toEqual({ allowed: [join(films, 'work'), films], refused: [] })
  const narrowed = privateFolders.filter(({ names }) => names).map(({ path }) => path)
  expect(narrowed).toEqual(paths.filter((path) => path !== models))
})

test('a default folder that cannot be created is reported with the settings to change', async () => {
  await using scratch = await temporaryFolder()
  await writeFile(join(scratch.path, 'file'), '')
  const { folders } = createWorkspace({
    allowedFolders: [],
    defaultFolder: join(scratch.path, 'file', 'Reelwright'),
  })
  await expect(folders()).rejects.toMatchObject({
    code: 6016,
    hint: expect.stringMatching(/--allow-dir|REELWRIGHT_WORKSPACE/),
  })
})

test('hiddenPart ignores hidden parts of the folder itself', () => {
  expect(hiddenPart('/home/u/.work', '/home/u/.work/a/b.mp4')).toBeUndefined()
  expect(hiddenPart('/home/u', '/home/u/.ssh/id')).toBe('.ssh')
  expect(hiddenPart('/home/u', '/home/u/a/.env')).toBe('.env')
})

test.each([
  '/',
  '/etc',
  '/etc/ssl',
  '/proc/self',
  '/dev/shm',
  '/usr',
  '/usr/lib/x',
  '/home',
  '/var',
  '/System/Library',
  '/private/etc/ssl',
  '/private/var',
])('%s is a system folder', (folder) => expect(closedReason(folder)).toBeTypeOf('string'))

test.each([
  '/home/u',
  '/root',
  '/tmp/x',
  '/usr/src/app',
  '/var/folders/x',
  '/run/media/u/disk',
  '/etcetera',
  '/workspace',
])('%s is not a system folder', (folder) => expect(closedReason(folder)).toBeUndefined())
