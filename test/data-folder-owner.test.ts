import { chmod, chown, lchown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { prepareDataFolder } from '../src/daemon/data-folder.ts'
import { startAgentSession } from './mcp/agent-session.ts'
import { runCommand, spawnCommand } from './run-command.ts'

/** The user `nobody`, who owns nothing else. */
const nobody = 65_534

/** Only root can give files to other users. */
const isRoot = process.getuid?.() === 0

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-owner-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A data folder of this user with a part of each kind. */
async function createDataFolder(): Promise<{ readonly folder: string; readonly data: string }> {
  const folder = await temporary()
  const data = join(folder, 'data')
  for (const name of [...partNames, 'files/blobs/ab/abcd', 'reelwright.config.json']) {
    await mkdir(dirname(join(data, name)), { recursive: true, mode: 0o700 })
    await writeFile(join(data, name), '{}', { mode: 0o600 })
  }
  return { folder, data }
}

const partNames = [
  'reelwright.sqlite',
  'reelwright.sqlite-wal',
  'daemon.json',
  'daemon.log',
  'daemon.lock',
  'files/database',
  'files/parts/1',
  'reelwright-packs/engine/main.js',
  'steps/1/list.txt',
] as const

function refusal(detail: string) {
  return { code: 6401, retryable: false, message: expect.stringContaining(detail) as string }
}

describe.skipIf(!isRoot)('as root, as only root can give files to other users', () => {
  test('serve refuses a data folder of another user, and changes nothing in it', async () => {
    const { data } = await createDataFolder()
    await chown(data, nobody, nobody)
    await chmod(data, 0o755)
    const before = await readdir(data)
    const refused = await spawnCommand(['serve', '--port', '0', '--data-dir', data])
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`${data} belongs to another user (65534)`)
    expect(refused.err).toContain(`chown -R 0 "${data}"`)
    expect(await readdir(data)).toEqual(before)
    expect((await stat(data)).mode & 0o777).toBe(0o755)
    await chown(data, 0, 0)
    await prepareDataFolder(data)
  })

  test('the local service of an agent refuses it as well, and so do commands, and doctor reports it', async () => {
    await using session = await startAgentSession()
    const { dataDir } = session
    await mkdir(dataDir)
    await chown(dataDir, nobody, nobody)
    await using agent = await session.connect('modern')
    const { isError, text } = await agent.call('list_tasks')
    expect(isError).toBe(true)
    expect(text).toContain(`${dataDir} belongs to another user (65534)`)
    expect(text).toContain(`chown -R 0 "${dataDir}"`)
    const keys = await runCommand(['keys', 'list', '--data-dir', dataDir])
    expect(keys).toMatchObject({ code: 1, err: expect.stringContaining('belongs to another user') })
    const { out } = await runCommand(['doctor', '--json', '--data-dir', dataDir])
    const findings = JSON.parse(out) as { name: string }[]
    expect(findings.find(({ name }) => name === 'data folder')).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining('belongs to another user (65534)'),
      fix: expect.stringContaining(`chown -R 0 "${dataDir}"`),
    })
    expect(await readdir(dataDir)).toEqual([])
  })

  test.for([...partNames, 'files', 'files/blobs', 'files/blobs/ab', 'reelwright-packs/engine'])(
    'a data folder whose %s belongs to another user is refused',
    async (name) => {
      const { data } = await createDataFolder()
      await prepareDataFolder(data)
      await chown(join(data, name), nobody, nobody)
      await expect(prepareDataFolder(data)).rejects.toMatchObject({
        ...refusal(`${join(data, name)} belongs to another user (65534)`),
        hint: expect.stringContaining(`chown -R 0 "${data}"`),
      })
    },
  )

  test('a part on another disk is refused if that belongs to another user', async () => {
    const { folder, data } = await createDataFolder()
    await rm(join(data, 'steps'), { recursive: true })
    await mkdir(join(folder, 'disk/steps'), { recursive: true })
    await symlink(join(folder, 'disk/steps'), join(data, 'steps'))
    await prepareDataFolder(data)
    await chown(join(folder, 'disk/steps'), nobody, nobody)
    await expect(prepareDataFolder(data)).rejects.toMatchObject({
      ...refusal(`${folder}/disk/steps belongs to another user`),
      hint: expect.stringContaining(`chown -R 0 "${folder}/disk/steps"`),
    })
    await chown(join(folder, 'disk/steps'), 0, 0)
    await chown(join(folder, 'disk'), nobody, nobody)
    await expect(prepareDataFolder(data)).rejects.toMatchObject(refusal(`${folder}/disk belongs to another`))
  })

  test('a data folder in a folder of another user is refused, before and after it exists', async () => {
    const { folder, data } = await createDataFolder()
    await chown(folder, nobody, nobody)
    for (const path of [data, join(folder, 'new/deep')]) {
      await expect(prepareDataFolder(path)).rejects.toMatchObject({
        ...refusal(`${folder} belongs to another user (65534), who can replace what is inside`),
        hint: expect.stringContaining('--data-dir'),
      })
    }
    expect(await readdir(folder)).toEqual(['data'])
  })

  test('a symbolic link to a data folder is refused if another user can change it', async () => {
    const { folder, data } = await createDataFolder()
    const shared = join(folder, 'shared')
    await mkdir(shared)
    await symlink('../data', join(shared, 'link'))
    await symlink('shared/link', join(folder, 'to-link'))
    const links = [join(shared, 'link'), join(folder, 'to-link'), join(folder, 'to-link/..', 'data')]
    for (const link of links) await prepareDataFolder(link)
    await chmod(shared, 0o1777)
    await prepareDataFolder(join(folder, 'to-link'))
    await lchown(join(shared, 'link'), nobody, nobody)
    for (const link of links.slice(0, 2)) {
      await expect(prepareDataFolder(link)).rejects.toMatchObject(
        refusal(`${join(shared, 'link')} belongs to another user`),
      )
    }
    await prepareDataFolder(data)
  })

  test('another user may use parts of root, which root provides, but not those of a third user', async () => {
    const { folder, data } = await createDataFolder()
    await chmod(folder, 0o755)
    for (const name of ['', 'files', 'files/blobs', 'files/blobs/ab', 'files/parts', 'steps', 'steps/1']) {
      await chown(join(data, name), nobody, nobody)
    }
    for (const name of partNames.filter((each) => !each.startsWith('reelwright-packs'))) {
      await chown(join(data, name), nobody, nobody)
    }
    await chmod(join(data, 'reelwright-packs'), 0o755)
    await chmod(join(data, 'reelwright-packs/engine'), 0o755)
    const asNobody = async (work: () => Promise<void>): Promise<void> => {
      process.seteuid?.(nobody)
      try {
        await work()
      } finally {
        process.seteuid?.(0)
      }
    }
    await asNobody(() => prepareDataFolder(data))
    await chown(join(data, 'reelwright-packs/engine'), 1, 1)
    await asNobody(() =>
      expect(prepareDataFolder(data)).rejects.toMatchObject({
        ...refusal('reelwright-packs/engine belongs to another user (1)'),
        hint: expect.stringContaining('chown -R 65534'),
      }),
    )
  })

  test('compiled code is neither read nor written in the home folder of another user', async () => {
    const home = await temporary()
    // Without the options of the tests, which open the cache themselves.
    const run = () => spawnCommand(['--version'], { HOME: home, NODE_OPTIONS: '' })
    await chown(home, nobody, nobody)
    expect(await run()).toMatchObject({ code: 0 })
    expect(await readdir(home)).toEqual([])
    await chown(home, 0, 0)
    await run()
    expect(await readdir(home)).toEqual(['.cache'])
  })

  test('settings may belong to another user, such as one of the host, unless the folder does', async () => {
    const { data } = await createDataFolder()
    await chown(join(data, 'reelwright.config.json'), nobody, nobody)
    await prepareDataFolder(data)
    await readConfig({ dataDir: data, environment: {} })
    await chown(data, nobody, nobody)
    await expect(readConfig({ dataDir: data, environment: {} })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringContaining(`is not safe: ${data} belongs to another user (65534)`),
      hint: expect.stringContaining(`chown -R 0 "${data}"`),
    })
    await rm(join(data, 'reelwright.config.json'))
    await readConfig({ dataDir: data, environment: {} })
  })
})

describe.skipIf(process.platform === 'win32')('a folder that every user can write', () => {
  test('contains no data folder, unless it is sticky like /tmp', async () => {
    const { folder, data } = await createDataFolder()
    await chmod(folder, 0o777)
    for (const path of [data, join(folder, 'new/deep')]) {
      await expect(prepareDataFolder(path)).rejects.toMatchObject({
        ...refusal(`every user can replace what is in ${folder} (mode 777)`),
        hint: expect.stringContaining(`chmod o-w "${folder}"`),
      })
    }
    await chmod(folder, 0o1777)
    await prepareDataFolder(data)
    await chmod(folder, 0o775)
    await prepareDataFolder(data)
  })
})
