import { access, constants, stat } from 'node:fs/promises'
import { createClient } from '../client/client.ts'
import { MediaError } from '../contract/errors.ts'
import type { OperationModule } from '../contract/operation.ts'
import type { Answerer } from '../contract/questions.ts'
import { routes } from '../contract/routes.ts'
import { describeFirstDownload, describeSize } from '../contract/format.ts'
import { describeLibrary } from '../contract/library.ts'
import { nearestFolder, dataFolderProblem, readableSettings } from '../daemon/data-folder.ts'
import { locateChromium, canUseSandbox } from '../engines/chromium/locate.ts'
import { locateFfmpeg } from '../engines/ffmpeg/locate.ts'
import type { Packs } from '../engines/packs/store.ts'
import { packStates } from '../engines/packs/resolve.ts'
import { firstDownload, missingRequirements } from '../engines/readiness.ts'
import type { Services } from '../engines/services/services.ts'
import { freeSpace } from '../platform/folder.ts'
import { sharedMode } from '../platform/permissions.ts'
import type { Finding } from './finding.ts'
import { findLocalService } from './service-state.ts'
import { examineServices } from './services.ts'

interface ExamineOptions {
  readonly version: string
  readonly dataDir: string
  /** Folders an agent may use. Empty: `defaultWorkspace`. */
  readonly folders: readonly string[]
  readonly defaultWorkspace: string
  /** URL of a remote service. Undefined for the local one. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  /** Path of ffmpeg from the settings file. The local service ignores the environment variable. */
  readonly ffmpeg: string | undefined
  readonly packs: Packs
  readonly services: Services
  /** Who answers questions to a language model: the agents that call, or a configured model (null). */
  readonly answersBy: Answerer
  /** Operations whose requirements are checked against `packs` and `services`. */
  readonly operations: readonly OperationModule[]
  /** Environment variables that the local service overrides with other values. */
  readonly ignored: readonly Required<Pick<Finding, 'name' | 'detail' | 'fix'>>[]
}

/** Free space below which a warning is reported: 2 GiB, which a few videos fill. */
const lowSpaceBytes = 2 * 2 ** 30

/** Checks everything that Reelwright needs on this machine. Starts nothing and writes nothing. */
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
          ...(await examineServices(subject.services, subject)),
          ...(await examineOperations(subject)),
          ...examineIgnored(subject),
        ]
      : []
  return [
    examineProgram(version),
    ...(await Promise.all([...examineWorkspace(subject), ...service])),
    ...(await examineSettingsFile(dataDir)),
    ...engines,
  ]
}

/** Findings when the settings cannot be read. All other checks depend on the settings. */
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

/** Chromium is optional: only operations that render HTML use it. */
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

/** A missing pack is a note: the other operations still work. */
async function examinePacks({ packs }: ExamineOptions): Promise<Finding[]> {
  return (await packStates(packs)).map(({ name, title, state, detail, fix }): Finding => ({
    name: `pack ${name}`,
    ...(state === 'missing' ? { state: 'note', fix } : { state: 'ok' }),
    detail: `${title}: ${detail}`,
  }))
}

/** Missing requirements of single operations are notes: the other operations still work. */
async function examineOperations({ operations, answersBy }: ExamineOptions): Promise<Finding[]> {
  const missing = await missingRequirements(operations, { answersBy })
  const blocked = new Set(missing.flatMap((one) => one.operations))
  const downloading = new Map<string, string[]>()
  for (const module of operations) {
    const { name } = module.operation
    const download = blocked.has(name) ? undefined : await firstDownload(module)
    if (!download) continue
    const state = describeFirstDownload(download)
    downloading.set(state, [...(downloading.get(state) ?? []), name])
  }
  return [
    ...[...downloading].map(([state, names]): Finding => ({
      ...{ name: 'operations', state: 'ok', detail: `${names.join(', ')}: ready ${state}` },
    })),
    ...missing.map(({ operations: stops, message, hint }): Finding => ({
      ...{ name: 'operations', state: 'note', stops, fix: hint },
      detail: `${stops.join(', ')}: ${message}`,
    })),
  ]
}

/** Settings without effect, except ffmpeg, which has its own finding. */
function examineIgnored({ ignored }: ExamineOptions): Finding[] {
  return ignored.filter(({ name }) => name !== 'ffmpeg').map((one): Finding => ({ ...one, state: 'note' }))
}

async function examineDataFolder(folder: string): Promise<Finding> {
  const name = 'data folder'
  const problem = await dataFolderProblem(folder)
  if (problem) return { name, state: 'missing', detail: `${folder}: ${problem.reason}`, fix: problem.fix }
  const existing = await nearestFolder(folder)
  const free = await freeSpace(existing)
  const creation = existing === folder ? '' : ', created on first use'
  const detail = `${folder} (${describeSize(free)} free${creation})`
  const mode = await sharedMode(folder)
  if (existing === folder && mode !== null) {
    const fix = `run: chmod -R go= ${JSON.stringify(folder)}; the next start of the service does the same`
    return { name, state: 'note', detail: `${detail}; other users can access it (mode ${mode})`, fix }
  }
  return free < lowSpaceBytes
    ? { name, state: 'note', detail, fix: 'free some space there' }
    : { name, state: 'ok', detail }
}

/** Settings may contain keys of services. */
async function examineSettingsFile(dataDir: string): Promise<Finding[]> {
  const readable = await readableSettings(dataDir)
  return readable ? [{ name: 'settings', state: 'note', ...readable }] : []
}

function examineWorkspace({ folders, defaultWorkspace }: ExamineOptions): Promise<Finding>[] {
  const name = 'workspace'
  if (folders.length === 0) {
    const detail = `${defaultWorkspace}, created on first use (no folder is set)`
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
    const { version, operations, credits, library } = await client.call(routes.capabilities, {
      offersAnswers: true,
    })
    const blocked = operations.filter(({ ready }) => !ready)
    const ready = `${operations.length - blocked.length} of ${operations.length} operations ready`
    const materials = library ? `\nlibrary: ${library.missing ?? describeLibrary(library)}` : ''
    const detail = `${baseUrl}, version ${version}, ${ready}, ${credits.unlimited ? 'unlimited' : credits.balance} credits${materials}`
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
