import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/mcp/scratch.ts'
import { createWorkspace } from './workspace.ts'

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
  })
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
