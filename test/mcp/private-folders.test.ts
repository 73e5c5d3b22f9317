import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashFile } from '../../src/platform/hash.ts'
import { type AgentSession, type ConnectedAgent, startAgentSession } from './agent-session.ts'

let agentSession: AgentSession
let agent: ConnectedAgent
/** Contains the workspace and the data folder, and is allowed. */
let home: string
let mirror: string

beforeAll(async () => {
  agentSession = await startAgentSession()
  const { dataDir, workspace } = agentSession
  home = dirname(dataDir)
  mirror = join(home, 'mirror')
  await mkdir(mirror)
  await writeFile(join(mirror, 'model.json'), '{}')
  agent = await agentSession.connect('modern', {
    REELWRIGHT_ALLOWED_DIRS: [home, dataDir].join(':'),
    REELWRIGHT_MODELS_MIRROR: mirror,
  })
  // Starts the service, which creates the data folder.
  await writeFile(join(workspace, 'note.txt'), 'a note')
  await agent.call('upload_file', { path: 'note.txt' })
  await symlink(dataDir, join(workspace, 'to-data'))
  await symlink(join(dataDir, 'daemon.json'), join(workspace, 'to-key.json'))
  await link(join(dataDir, 'daemon.json'), join(workspace, 'same-key.json'))
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await agentSession[Symbol.asyncDispose]()
})

describe('a data folder inside an allowed folder', () => {
  test('is never read, whatever path leads there', async () => {
    const { dataDir, workspace } = agentSession
    const paths = [
      join(dataDir, 'daemon.json'),
      relative(workspace, join(dataDir, 'daemon.json')),
      `file://${dataDir}/daemon.json`,
      join(dataDir, 'missing.json'),
      join(mirror, 'model.json'),
      'to-data/daemon.json',
      'to-key.json',
      'same-key.json',
      ...(process.platform === 'linux' ? [`/proc/self/root${dataDir}/daemon.json`] : []),
    ]
    for (const path of paths) {
      const { isError, text } = await agent.call('upload_file', { path })
      expect([path, isError]).toEqual([path, true])
      expect(text).toMatch(
        /^6016: .* is in the (data folder|mirror of models) .*, which only the service uses/,
      )
      expect(text).toContain(`Allowed folders: ${workspace}, ${home}`)
    }
  })

  test('is never read through a hard link to any of its files, while those of the user are', async () => {
    const { dataDir, workspace } = agentSession
    await agent.call('upload_file', { path: 'note.txt' })
    const blake3 = await hashFile(join(workspace, 'note.txt'))
    const files = [
      'reelwright.sqlite',
      'reelwright.sqlite-wal',
      'files/database',
      join('files/blobs', blake3.slice(0, 2), blake3),
    ]
    for (const [number, file] of files.entries()) {
      const path = `linked-${number}.txt`
      await link(join(dataDir, file), join(workspace, path))
      const { isError, text } = await agent.call('upload_file', { path })
      expect([file, isError]).toEqual([file, true])
      expect(text).toContain(`6016: ${path} is in the data folder ${dataDir}`)
    }
    await link(join(workspace, 'note.txt'), join(workspace, 'same-note.txt'))
    expect(await agent.call('upload_file', { path: 'same-note.txt' })).toMatchObject({ isError: false })
  })

  test('is never listed', async () => {
    const { dataDir } = agentSession
    for (const file of [dataDir, join(dataDir, 'files'), 'to-data', mirror]) {
      const { isError, text } = await agent.call('inspect_file', { file })
      expect([file, isError]).toEqual([file, true])
      expect(text).toMatch(/^6016: .* which only the service uses/)
    }
  })

  test('is never written', async () => {
    const { dataDir } = agentSession
    const { data } = await agent.call('upload_file', { path: 'note.txt' })
    const before = await readdir(dataDir)
    const targets = [dataDir, join(dataDir, 'new.txt'), join(dataDir, 'new/deep'), 'to-data', 'to-data/new']
    for (const save_to of [...targets, join(mirror, 'new')]) {
      const { isError, text } = await agent.call('download_file', { file_id: data['file_id'], save_to })
      expect([save_to, isError]).toEqual([save_to, true])
      expect(text).toMatch(/^6016: .* which only the service uses/)
    }
    expect(await readdir(dataDir)).toEqual(before)
    expect(await readdir(mirror)).toEqual(['model.json'])
    expect(await readFile(join(dataDir, 'daemon.json'), 'utf8')).toContain('key')
  })

  test('is reported by service_status, and refused as an allowed folder', async () => {
    const { dataDir, workspace } = agentSession
    const { data } = await agent.call('service_status', { details: true })
    expect(data).toMatchObject({
      allowed_folders: [workspace, home],
      refused_folders: [{ folder: dataDir, why: expect.stringContaining('data folder') }],
      private_folders: expect.arrayContaining([dataDir, mirror]),
    })
    expect(data['private_folders']).not.toContain(join(dataDir, 'daemon.json'))
  })
})
