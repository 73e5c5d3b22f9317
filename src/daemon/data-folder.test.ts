import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { prepareDataFolder, dataFolderProblem } from './data-folder.ts'

async function folderWith(...names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-data-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of names) await writeFile(join(folder, name), '')
  return folder
}

test('a missing folder is created with its parents', async () => {
  const folder = join(await folderWith(), 'a', 'b')
  await prepareDataFolder(folder)
  expect(await readdir(folder)).toEqual([])
})

test.for([
  { names: [] },
  { names: ['.DS_Store'] },
  { names: ['reelwright.config.json'] },
  { names: ['start.lock', 'files', 'log'] },
])('a folder that contains $names is accepted', async ({ names }) => {
  await expect(prepareDataFolder(await folderWith(...names))).resolves.toBeUndefined()
})

test('a folder with foreign files is rejected, because a cleanup could remove them', async () => {
  const folder = await folderWith('notes.md')
  await mkdir(join(folder, 'scratch'))
  await expect(prepareDataFolder(folder)).rejects.toMatchObject({
    code: 6401,
    message: expect.stringMatching(/other files/),
    retryable: false,
  })
})

test.skipIf(process.platform !== 'linux')(
  'a folder that cannot be created is rejected immediately, with the reason',
  async () => {
    await expect(prepareDataFolder('/proc/reelwright/data')).rejects.toMatchObject({
      code: 6401,
      message: expect.stringMatching(/\/proc\/reelwright\/data .*\/proc is not writable .*ENOENT/),
      hint: expect.stringMatching(/--data-dir/),
    })
  },
)

test.for([[], ['deeper']])('a file in place of a folder is reported by name, %j', async (below) => {
  const file = join(await folderWith('data'), 'data')
  await expect(prepareDataFolder(join(file, ...below))).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining(`${file} is not a folder`),
  })
})

test('dataFolderProblem neither creates a folder nor writes to one', async () => {
  const folder = await folderWith()
  expect(await dataFolderProblem(folder)).toBeNull()
  expect(await dataFolderProblem(join(folder, 'a', 'b'))).toBeNull()
  expect(await readdir(folder)).toEqual([])
})
