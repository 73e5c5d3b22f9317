import { access, constants, stat } from 'node:fs/promises'
import { createClient } from '../client/client.ts'
import { MediaError } from '../contract/errors.ts'
import type { OperationModule } from '../contract/operation.ts'
import { routes } from '../contract/routes.ts'
import { describeSize } from '../contract/format.ts'
import { chooseAnotherFolderHint, nearestFolder, dataFolderProblem } from '../daemon/data-folder.ts'
import { locateChromium, canUseSandbox } from '../engines/chromium/locate.ts'
import { locateFfmpeg } from '../engines/ffmpeg/locate.ts'
import type { Packs } from '../engines/packs/store.ts'
import { packStates } from '../engines/packs/resolve.ts'
import { missingRequirements } from '../engines/readiness.ts'
import type { Services } from '../engines/services/services.ts'
import { freeSpace } from '../platform/folder.ts'
import type { Finding } from './finding.ts'
import { findLocalService } from './service-state.ts'
import { examineServices } from './services.ts'

interface ExamineOptions {
  readonly version: string
  readonly dataDir: string
  /** Folders an agent may use; none set means `defaultWorkspace`. */
  readonly folders: readonly string[]
  readonly defaultWorkspace: string
  /** A service elsewhere; undefined for the local one. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  /** The program named in the settings file, which alone counts for the local service. */
  readonly ffmpeg: string | undefined
  readonly packs: Packs
  readonly services: Services
  /** Which this process was told of those packs and services for. */
  readonly operations: readonly OperationModule[]
  /** Settings that the environment tells here, and the local service has otherwise. */
  readonly ignored: readonly Required<Pick<Finding, 'name' | 'detail' | 'fix'>>[]
}

/** Below this a few videos fill the disk: 2 GiB. */
const lowSpaceBytes = 2 * 2 ** 30

/** Looks at all that reelwright needs on this machine; starts nothing and leaves nothing behind. */
export async function examine(subject: ExamineOptions): Promise<Finding[]> {
  const { version, dataDir, baseUrl, apiKey } = subject
  const service =
    baseUrl === undefined
      ? [examineFfmpeg(subject), examineChromium(), examineDataFolder(dataDir), examineDaemon(dataDir)]
      : [examineService('service', { baseUrl, apiKey })]
  const engines =
    baseUrl === undefined
      ? [
          ...(await examinePacks(subject)),
          ...(await examineServices(subject.services)),
          ...(await examineOperations(subject)),
          ...examineIgnored(subject),
        ]
      : []
  return [
    examineProgram(version),
    ...(await Promise.all([...examineWorkspace(subject), ...service])),
    ...engines,
  ]
}

/** What can be told when the settings cannot be read: the rest depends on them. */
export function examineSettings(version: string, error: MediaError): Finding[] {
  return [examineProgram(version), errorFinding('settings', error)]
}

function examineProgram(version: string): Finding {
  return { name: 'reelwright', state: 'ok', detail: `${version}, on Node ${process.versions.node}` }
}

async function examineFfmpeg(subject: ExamineOptions): Promise<Finding> {
  const found = await locateFfmpeg(subject.ffmpeg).then(
    ({ ffmpeg, version }): Finding => ({ name: 'ffmpeg', state: 'ok', detail: `${version} (${ffmpeg})` }),
    (error: unknown) => errorFinding('ffmpeg', error),
  )
  const ignored = subject.ignored.find(({ name }) => name === 'ffmpeg')
  if (!ignored) return found
  return {
    ...found,
    state: found.state === 'ok' ? 'note' : found.state,
    detail: `${found.detail}\n${ignored.detail}`,
    fix: ignored.fix,
  }
}

/** Only what plays HTML needs it. */
function examineChromium(): Finding {
  const name = 'chromium'
  try {
    const program = locateChromium()
    if (canUseSandbox()) return { name, state: 'ok', detail: program }
    const detail = `${program} runs without its sandbox, as this is root`
    return { name, state: 'note', detail, fix: 'run reelwright as another user' }
  } catch (error) {
    return { ...errorFinding(name, error), state: 'note' }
  }
}

/** None of them stops all work. */
async function examinePacks({ packs }: ExamineOptions): Promise<Finding[]> {
  return (await packStates(packs)).map(({ name, title, state, detail, fix }): Finding => ({
    name: `pack ${name}`,
    ...(state === 'missing' ? { state: 'note', fix } : { state: 'ok' }),
    detail: `${title}: ${detail}`,
  }))
}

/** What single operations lack does not stop the others. */
async function examineOperations({ operations }: ExamineOptions): Promise<Finding[]> {
  return (await missingRequirements(operations)).map(({ operations: stops, message, hint }): Finding => ({
    ...{ name: 'operations', state: 'note', stops, fix: hint },
    detail: `${stops.join(', ')}: ${message}`,
  }))
}

/** What is set to no effect; of ffmpeg its own finding tells. */
function examineIgnored({ ignored }: ExamineOptions): Finding[] {
  return ignored.filter(({ name }) => name !== 'ffmpeg').map((one): Finding => ({ ...one, state: 'note' }))
}

async function examineDataFolder(folder: string): Promise<Finding> {
  const name = 'data folder'
  const reason = await dataFolderProblem(folder)
  if (reason !== null)
    return { name, state: 'missing', detail: `${folder}: ${reason}`, fix: chooseAnotherFolderHint }
  const existing = await nearestFolder(folder)
  const free = await freeSpace(existing)
  const made = existing === folder ? '' : ', made at first use'
  const detail = `${folder} (${describeSize(free)} free${made})`
  return free < lowSpaceBytes
    ? { name, state: 'note', detail, fix: 'free some space there' }
    : { name, state: 'ok', detail }
}

function examineWorkspace({ folders, defaultWorkspace }: ExamineOptions): Promise<Finding>[] {
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
  const service = await findLocalService(dataDir)
  if (service) return await examineService(`service (pid ${service.pid})`, service)
  return { name: 'service', state: 'ok', detail: 'not running; the first call of an agent starts it' }
}

async function examineService(
  name: string,
  { baseUrl, apiKey }: Pick<ExamineOptions, 'apiKey'> & { readonly baseUrl: string },
): Promise<Finding> {
  if (apiKey === undefined) {
    return { name, state: 'missing', detail: `${baseUrl} needs a key`, fix: 'set REELWRIGHT_API_KEY' }
  }
  const client = createClient({ baseUrl, apiKey })
  try {
    const { version, operations, credits } = await client.call(routes.capabilities)
    const blocked = operations.filter(({ ready }) => !ready)
    const ready = `${operations.length - blocked.length} of ${operations.length} operations ready`
    const detail = `${baseUrl}, version ${version}, ${ready}, ${credits.unlimited ? 'unlimited' : credits.balance} credits`
    if (blocked.length === 0) return { name, state: 'ok', detail }
    const why = blocked.map((operation) => `${operation.name}: ${operation.missing ?? 'not ready'}`)
    return { name, state: 'note', detail: [detail, ...why].join('\n') }
  } catch (error) {
    return errorFinding(name, error)
  } finally {
    await client.close()
  }
}

function errorFinding(name: string, error: unknown): Finding {
  if (!(error instanceof MediaError)) throw error
  return { name, state: 'missing', detail: error.message, fix: error.hint }
}
