import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/mcp/scratch.ts'
import { assertAllowed, createWorkspace } from './workspace.ts'

test('a workspace that cannot be made is told, and the other folders serve', async () => {
  await using scratch = await scratchFolder()
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
  })
})

test('folders of which none can be used are told beside the default one', async () => {
  await using scratch = await scratchFolder()
  const defaultFolder = join(scratch.path, 'default')
  const { folders } = createWorkspace({ allowedFolders: ['/path/to/media', '/etc'], defaultFolder })
  const found = await folders()
  expect(found).toMatchObject({ workspace: defaultFolder, isDefault: false })
  const outside = () => assertAllowed(found, join(scratch.path, 'a.mp4'), 'a.mp4')
  expect(outside).toThrow(
    expect.objectContaining({
      hint: expect.stringMatching(
        /\/path\/to\/media was set and is not used: it does not exist .*\. \/etc was set and is not used: it is a system/,
      ),
    }),
  )
})

test('a default folder that cannot be made says what to set', async () => {
  await using scratch = await scratchFolder()
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
