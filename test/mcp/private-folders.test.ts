import { existsSync } from 'node:fs'
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataFiles } from '../../src/daemon/data-files.ts'
import { hashFile } from '../../src/platform/hash.ts'
import { type AgentSession, type ConnectedAgent, startAgentSession } from './agent-session.ts'

let agentSession: AgentSession
/** Started before the data folder existed. */
let agent: ConnectedAgent
/** Started with the settings of models. */
let modelAgent: ConnectedAgent
/** Contains the workspace and the data folder, and is allowed. */
let home: string
let mirror: string
/** A folder of a model alone, inside the allowed one. */
let models: string
let note: unknown

const sha256 = '0'.repeat(64)

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
  if (existsSync(dataDir)) throw new Error('the data folder exists before the service')
  // Before the service starts: it would exit for a new one, with another record, once they change.
  await writeModels()
  // Starts the service.
  await writeFile(join(workspace, 'note.txt'), 'a note')
  const { data } = await agent.call('upload_file', { path: 'note.txt' })
  note = data['file_id']
  await symlink(dataDir, join(workspace, 'to-data'))
  await symlink(join(dataDir, 'daemon.json'), join(workspace, 'to-key.json'))
  await link(join(dataDir, 'daemon.json'), join(workspace, 'same-key.json'))
  modelAgent = await agentSession.connect('modern', { REELWRIGHT_ALLOWED_DIRS: home })
})
afterAll(async () => {
  await modelAgent[Symbol.asyncDispose]()
  await agent[Symbol.asyncDispose]()
  await agentSession[Symbol.asyncDispose]()
})

/** Writes one model into a folder of its own and another one into the workspace, and the settings of both. */
async function writeModels(): Promise<void> {
  const { dataDir, workspace } = agentSession
  models = join(home, 'models')
  await mkdir(join(models, 'deep'), { recursive: true })
  const files = ['small-encoder.onnx', 'small-decoder.onnx', 'small-tokens.txt', 'readme.txt']
  for (const name of files)
    for (const folder of [models, workspace]) await writeFile(join(folder, name), name)
  await writeFile(join(models, 'deep/config.json'), '{}')
  await symlink(models, join(home, 'to-models'))
  const settings = {
    models: {
      whisper: { path: join(home, 'to-models/small-encoder.onnx'), sha256 },
      paraformer: { path: join(workspace, 'small-encoder.onnx'), sha256 },
    },
  }
  await mkdir(dataDir, { mode: 0o700 })
  await writeFile(join(dataDir, dataFiles.settings), JSON.stringify(settings), { mode: 0o600 })
}

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

async function expectRefused(tool: string, args: Record<string, unknown>, why: string): Promise<void> {
  const { isError, text } = await modelAgent.call(tool, args)
  expect([args, isError]).toEqual([args, true])
  expect(text).toMatch(/^6016: .* which only the service uses/)
  expect(text).toContain(` ${why}, which only`)
  expect(text).toContain('move the model to a folder of its own')
}

describe('the folder of a configured model', () => {
  test('is neither read nor listed, with all that it contains', async () => {
    for (const folder of ['models', 'to-models']) {
      for (const name of ['small-encoder.onnx', 'small-tokens.txt', 'readme.txt', 'deep/config.json']) {
        await expectRefused(
          'upload_file',
          { path: join(home, folder, name) },
          `is in the folder of a model ${models}`,
        )
      }
      await expectRefused(
        'inspect_file',
        { file: join(home, folder) },
        `is in the folder of a model ${models}`,
      )
    }
  })

  test('is not written, as a further file could replace one of the model', async () => {
    for (const name of ['', 'a-tokens.txt', 'deep', 'new/notes.txt']) {
      const args = { file_id: note, save_to: join(home, 'to-models', name) }
      await expectRefused('download_file', args, `is in the folder of a model ${models}`)
    }
    expect((await readdir(models)).toSorted()).toEqual(
      ['deep', 'readme.txt', 'small-decoder.onnx', 'small-encoder.onnx', 'small-tokens.txt'].toSorted(),
    )
  })

  test('is reported by service_status', async () => {
    const { data } = await modelAgent.call('service_status', { details: true })
    expect(data['private_folders']).toContain(models)
    expect(data['private_folders']).not.toContain(agentSession.workspace)
    expect(data).not.toHaveProperty('refused_folders')
  })
})

describe('a model in a folder that agents use', () => {
  test('leaves the folder to them, except for files that belong to models', async () => {
    for (const path of ['small-encoder.onnx', 'small-decoder.onnx', 'small-tokens.txt']) {
      await expectRefused(
        'upload_file',
        { path },
        `has the name of a file in the folder of a model ${agentSession.workspace}`,
      )
    }
    expect(await modelAgent.call('upload_file', { path: 'readme.txt' })).toMatchObject({ isError: false })
    expect(await modelAgent.call('inspect_file', { file: '.' })).toMatchObject({ isError: false })
  })

  test('gets no further file that could replace one of it', async () => {
    const { workspace } = agentSession
    for (const save_to of ['a-tokens.txt', join(workspace, 'tokens.txt'), '../work/TOKENS.TXT']) {
      await expectRefused(
        'download_file',
        { file_id: note, save_to },
        `has the name of a file in the folder of a model ${agentSession.workspace}`,
      )
    }
    for (const save_to of ['tokens.txt.txt', 'below/a-tokens.txt']) {
      const saved = await modelAgent.call('download_file', { file_id: note, save_to })
      expect([save_to, saved.isError]).toEqual([save_to, false])
    }
  })
})
