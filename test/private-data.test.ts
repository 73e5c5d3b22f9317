import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { prepareDataFolder } from '../src/daemon/data-folder.ts'
import { runCommand } from './run-command.ts'
import { api } from './service/api.ts'

const apiKey = 'key-of-the-private-data-tests'
const main = join(import.meta.dirname, '..', 'src', 'main.ts')

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-private-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Files of an earlier version that every user can read, some of them read-only or programs. */
const openFiles = {
  'reelwright.config.json': 0o644,
  'daemon.log': 0o666,
  'reelwright-packs/eyes/model.onnx': 0o444,
  'reelwright-packs/eyes/program': 0o755,
  'steps/1/list.txt': 0o664,
} as const

async function createOpenDataFolder(folder: string): Promise<void> {
  for (const [name, mode] of Object.entries(openFiles)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, '{}')
    await chmod(path, mode)
  }
  for (const path of ['', 'reelwright-packs', 'reelwright-packs/eyes', 'steps', 'steps/1']) {
    await chmod(join(folder, path), 0o755)
  }
}

/** Paths that others than the owner may access, with their modes, links excluded. */
async function openPaths(folder: string): Promise<string[]> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))]
  const found = await Promise.all(
    names.map(async (name) => ({ name, stats: await lstat(join(folder, name)).catch(() => null) })),
  )
  return found.flatMap(({ name, stats }) =>
    stats && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0
      ? [`${name} ${(stats.mode & 0o777).toString(8)}`]
      : [],
  )
}

/** Runs `reelwright serve` with a umask until the test ends; returns its address and its log. */
async function serve(dataDir: string, umask: string) {
  const args = ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, main, 'serve', '--port', '0']
  const child = spawn('sh', args, {
    env: { ...process.env, REELWRIGHT_DATA_DIR: dataDir, REELWRIGHT_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [exit, log] = [once(child, 'exit'), text(child.stderr)]
  const stop = async (): Promise<string> => {
    child.kill('SIGTERM')
    await exit
    return await log
  }
  onTestFinished(() => stop().then(() => undefined))
  const [output] = (await Promise.race([once(child.stdout, 'data'), exit.then(() => [''])])) as [Buffer]
  const [baseUrl] = /http:\/\/\S+/.exec(String(output)) ?? []
  if (baseUrl === undefined) throw new Error(`serve did not listen: ${await log}`)
  return { baseUrl, apiKey, stop }
}

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  test.each(['000', '027'])(
    'is closed to other users with the umask %s, old files and new',
    async (umask) => {
      const folder = await temporary()
      await createOpenDataFolder(join(folder, 'data'))
      await symlink(join(folder, 'data'), join(folder, 'link'))
      const service = await serve(join(folder, 'link'), umask)
      const { data } = await api(service).upload('note.txt', 'a note')
      expect(Buffer.from(await api(service).download(data.file_id)).toString()).toBe('a note')
      expect(await openPaths(join(folder, 'data'))).toEqual([])
      expect((await stat(join(folder, 'data/reelwright-packs/eyes/program'))).mode & 0o777).toBe(0o700)
      expect(await service.stop()).toContain('other users can read the settings')
      expect(await openPaths(join(folder, 'data'))).toEqual([])
      expect(await readdir(join(folder, 'data'))).toContain('reelwright.sqlite')
    },
  )

  test('has parts on another disk, which are closed as well; other links are not followed', async () => {
    const folder = await temporary()
    const [data, disk, videos] = ['data', 'disk', 'videos'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const path of [data, disk, videos]) {
      await mkdir(join(path, 'ab'), { recursive: true })
      for (const each of [path, join(path, 'ab')]) await chmod(each, 0o755)
    }
    await writeFile(join(data, 'daemon.log'), '')
    await symlink(disk, join(data, 'files'))
    await symlink(videos, join(data, 'videos'))
    await prepareDataFolder(data)
    expect(await openPaths(disk)).toEqual([])
    expect(await openPaths(videos)).toEqual(['. 755', 'ab 755'])
  })

  test.runIf(process.getuid?.() === 0)('of another user is refused while others can access it', async () => {
    const folder = await temporary()
    const data = join(folder, 'data')
    await mkdir(data)
    await chmod(data, 0o777)
    await chmod(folder, 0o755)
    const nobody = 65_534
    process.seteuid?.(nobody)
    try {
      await expect(prepareDataFolder(data)).rejects.toMatchObject({
        code: 6401,
        message: expect.stringMatching(/is open to other users \(mode 777\).*only its owner \(user 0\)/),
        hint: expect.stringContaining('--data-dir'),
      })
    } finally {
      process.seteuid?.(0)
    }
    await prepareDataFolder(data)
    expect(await openPaths(data)).toEqual([])
    await chown(data, nobody, nobody)
    await expect(prepareDataFolder(data)).rejects.toMatchObject({ code: 6401 })
  })

  test('has settings that every user can write: they are rejected, as they name programs to run', async () => {
    const folder = await temporary()
    const settings = join(folder, 'reelwright.config.json')
    await writeFile(settings, JSON.stringify({ ffmpeg: '/bin/true' }))
    await chmod(settings, 0o666)
    await expect(readConfig({ dataDir: folder, environment: {} })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(
        /reelwright\.config\.json is not safe: every user can write it \(mode 666\)/,
      ),
      hint: expect.stringContaining('chmod 600'),
    })
    await chmod(settings, 0o664)
    await expect(readConfig({ dataDir: folder, environment: {} })).resolves.toMatchObject({
      ffmpeg: '/bin/true',
    })
  })

  test('and its settings are reported by doctor if others can read them', async () => {
    const folder = await temporary()
    const data = join(folder, 'data')
    await createOpenDataFolder(data)
    const doctor = async () => {
      const { out } = await runCommand(['doctor', '--json'], { HOME: folder, REELWRIGHT_DATA_DIR: data })
      const findings = JSON.parse(out) as { name: string; state: string; detail: string; fix?: string }[]
      return findings.filter(({ name }) => ['data folder', 'settings'].includes(name))
    }
    expect(await doctor()).toEqual([
      {
        ...{ name: 'data folder', state: 'note' },
        detail: expect.stringContaining('other users can access it (mode 755)') as string,
        fix: expect.stringContaining(`chmod -R go= "${data}"`) as string,
      },
      {
        ...{ name: 'settings', state: 'note' },
        detail: expect.stringContaining('reelwright.config.json (mode 644)') as string,
        fix: expect.stringContaining('chmod 600') as string,
      },
    ])
    await prepareDataFolder(data)
    expect(await doctor()).toMatchObject([{ name: 'data folder', state: 'ok' }])
  })
})
