import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createClient } from '../client/client.ts'
import { MediaError } from '../contract/errors.ts'
import { routes } from '../contract/routes.ts'
import { isAnswering } from '../daemon/ask.ts'
import { readDaemon } from '../daemon/record.ts'
import { locateFfmpeg } from '../engines/ffmpeg/locate.ts'
import { freeSpace, whyUnsafe } from '../platform/folder.ts'
import type { Finding } from './finding.ts'

interface Subject {
  readonly version: string
  readonly dataDir: string
  /** Folders an agent may use; none set means `defaultWorkspace`. */
  readonly folders: readonly string[]
  readonly defaultWorkspace: string
  /** A service elsewhere; undefined for the local one. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly ffmpeg: string | undefined
}

/** Below this a few videos fill the disk: 2 GiB. */
const lowSpace = 2 * 2 ** 30

/** Looks at all that reelwright needs on this machine; starts and changes nothing. */
export async function examine(subject: Subject): Promise<Finding[]> {
  const { version, dataDir, baseUrl, apiKey } = subject
  const node: Finding = {
    name: 'reelwright',
    state: 'ok',
    detail: `${version}, on Node ${process.versions.node}`,
  }
  const service =
    baseUrl === undefined
      ? [examineFfmpeg(subject.ffmpeg), examineDataFolder(dataDir), examineDaemon(dataDir)]
      : [examineService('service', { baseUrl, apiKey })]
  return [node, ...(await Promise.all([...examineWorkspace(subject), ...service]))]
}

async function examineFfmpeg(configured: string | undefined): Promise<Finding> {
  try {
    const { ffmpeg, version } = await locateFfmpeg(configured)
    return { name: 'ffmpeg', state: 'ok', detail: `${version} (${ffmpeg})` }
  } catch (error) {
    return fromError('ffmpeg', error)
  }
}

async function examineDataFolder(folder: string): Promise<Finding> {
  const name = 'data folder'
  const fix = 'set REELWRIGHT_DATA_DIR to a folder on a local disk that you can write to'
  try {
    const unsafe = await whyUnsafe(folder)
    if (unsafe !== null) return { name, state: 'missing', detail: `${folder}: ${unsafe}`, fix }
    const existing = await nearestFolder(folder)
    await access(existing, constants.W_OK)
    const free = await freeSpace(existing)
    const made = existing === folder ? '' : ', made at first use'
    const detail = `${folder} (${(free / 2 ** 30).toFixed(1)} GiB free${made})`
    return free < lowSpace
      ? { name, state: 'note', detail, fix: 'free some space there' }
      : { name, state: 'ok', detail }
  } catch (error) {
    return { name, state: 'missing', detail: `${folder} cannot be written: ${(error as Error).message}`, fix }
  }
}

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return path
  if (found) throw new Error(`${path} is not a folder`)
  return await nearestFolder(dirname(path))
}

function examineWorkspace({ folders, defaultWorkspace }: Subject): Promise<Finding>[] {
  const name = 'workspace'
  if (folders.length === 0) {
    const detail = `${defaultWorkspace}, made at first use (no folder is set)`
    return [Promise.resolve({ name, state: 'ok', detail })]
  }
  return folders.map(async (folder): Promise<Finding> => {
    try {
      if (!(await stat(folder)).isDirectory()) throw new Error('it is not a folder')
      await access(folder, constants.R_OK | constants.W_OK)
      return { name, state: 'ok', detail: folder }
    } catch (error) {
      const detail = `${folder}: ${(error as Error).message}`
      const fix = `make ${folder} readable and writable, or name another folder`
      return { name, state: 'missing', detail, fix }
    }
  })
}

async function examineDaemon(dataDir: string): Promise<Finding> {
  const record = await readDaemon(dataDir)
  if (!record || !(await isAnswering(record))) {
    return { name: 'service', state: 'ok', detail: 'not running; the first call of an agent starts it' }
  }
  const baseUrl = `http://127.0.0.1:${record.port}`
  return await examineService(`service (pid ${record.pid})`, { baseUrl, apiKey: record.key })
}

interface Address {
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

async function examineService(name: string, { baseUrl, apiKey }: Address): Promise<Finding> {
  if (apiKey === undefined) {
    return { name, state: 'missing', detail: `${baseUrl} needs a key`, fix: 'set REELWRIGHT_API_KEY' }
  }
  const client = createClient({ baseUrl, apiKey })
  try {
    const { version, operations, credits } = await client.call(routes.capabilities)
    const blocked = operations.filter(({ ready }) => !ready)
    const ready = `${operations.length - blocked.length} of ${operations.length} operations ready`
    const detail = `${baseUrl}, version ${version}, ${ready}, ${credits.balance} credits`
    if (blocked.length === 0) return { name, state: 'ok', detail }
    const why = blocked.map((operation) => `${operation.name}: ${operation.missing ?? 'not ready'}`)
    return { name, state: 'note', detail: [detail, ...why].join('\n') }
  } catch (error) {
    return fromError(name, error)
  } finally {
    await client.close()
  }
}

function fromError(name: string, error: unknown): Finding {
  if (!(error instanceof MediaError)) throw error
  return { name, state: 'missing', detail: error.message, fix: error.hint }
}
