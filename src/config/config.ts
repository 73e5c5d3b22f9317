import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { unescape } from 'node:querystring'
import * as z from 'zod'
import type { Voice } from '../contract/catalog.ts'
import { MediaError } from '../contract/errors.ts'
import { plainIssueMessage } from '../contract/validation.ts'
import { dataFiles } from '../daemon/data-files.ts'
import type { PackSettings } from '../engines/packs/store.ts'
import { type AgentAnswers, allServices, services, type Services } from '../engines/services/services.ts'
import type { ToolFilter } from '../mcp/tool-selection.ts'
import { type ConnectionLimits, defaultConnectionLimits } from '../platform/connection-choice.ts'
import { findUnsafeFile } from '../platform/path-owners.ts'
import { errorCode } from '../platform/system-error.ts'
import { userDataFolder } from './default-folders.ts'
import { nonEmpty, readVariables } from './environment-variables.ts'
import { resolvePaths } from './resolve-paths.ts'
import {
  settingDescriptions,
  defaults,
  environmentOnlySettings,
  settings,
  type Settings,
} from './settings.ts'
import { homeFolder } from '../platform/environment.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Environment of this process. */
export const processEnvironment: Environment = process.env

/** Disables telemetry of ONNX Runtime, which reads this variable when it loads. */
process.env['ORT_DISABLE_TELEMETRY'] = '1'

/** All settings, validated; paths are absolute. */
export interface Config {
  readonly dataDir: string
  /** Address of a remote service; undefined for the local one. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  /** Folders that agents may read and write. */
  readonly allowedDirs: readonly string[]
  /** Base of agents' relative paths; if undefined, the MCP server chooses it. */
  readonly workspace: string | undefined
  /** Project folder that the MCP client names. */
  readonly projectDir: string | undefined
  /** Which tools agents see. */
  readonly tools: ToolFilter
  /** Whether agents may use https addresses as files. */
  readonly allowUrls: boolean
  /** Credits above which the user must confirm; undefined for never. */
  readonly confirmAbove: number | undefined
  readonly ffmpeg: string | undefined
  readonly packs: PackSettings
  /** External services, with their keys. */
  readonly services: Services
  /** PostgreSQL; undefined for SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  readonly logLevel: NonNullable<Settings['log_level']>
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** The https address of a proxy in front of the service. */
  readonly publicUrl: string | undefined
  /** Whether `serve` also accepts the key in the query. */
  readonly allowQueryAuthorization: boolean
  /** Requests per minute and key, by operation. */
  readonly rateLimits: Readonly<Record<string, number>>
  /** Limits of the open connections of a server. */
  readonly connectionLimits: ConnectionLimits
  /** Storage limit of an account, bytes. */
  readonly storageQuota: number | undefined
  /** Maximum number of queued tasks of a key. */
  readonly queuedPerKey: number | undefined
  /** Running tasks from which a key yields to tasks of all others. */
  readonly runningPerKey: number | undefined
  /** Who answers questions to a language model, where none is configured. */
  readonly agentAnswers: AgentAnswers
  /** Time that a task waits for answers of its agent, ms. */
  readonly questionTimeoutMs: number
  /** Voices available for dubbing, as callers see them; `services` contains how they are spoken. */
  readonly voices: readonly Voice[]
}

/** Settings that the command line accepts as well. */
export type ConfigOptions = {
  readonly [Name in 'host' | 'port' | 'public_url' | 'toolsets' | 'tools' | 'read_only']?: unknown
}

interface ConfigSource {
  /** From the command line, like `options`; both take precedence over the environment. */
  readonly dataDir?: string | undefined
  readonly options?: ConfigOptions | undefined
  /** By default that of this process. The local daemon uses none, as it serves many clients. */
  readonly environment?: Environment
}

/** Reads the settings: command line, then environment, then `reelwright.config.json`, then defaults. Throws 6016 naming the key. */
export async function readConfig(source: ConfigSource = {}): Promise<Config> {
  const { projectDir } = environmentOnlySettings
  const project = nonEmpty((source.environment ?? processEnvironment)[projectDir.variable])
  const merged = { ...defaults, ...(await readExplicitSettings(source)) }
  return {
    dataDir: locateDataDir(source),
    baseUrl: merged.base_url,
    apiKey: merged.api_key,
    allowedDirs: merged.allowed_dirs ?? [],
    workspace: merged.workspace,
    projectDir: project === undefined ? undefined : resolve(project),
    tools: { toolsets: merged.toolsets, tools: merged.tools, readOnly: merged.read_only },
    allowUrls: merged.allow_urls ?? false,
    confirmAbove: merged.confirm_above_credits,
    ffmpeg: merged.ffmpeg,
    packs: {
      folder: join(locateDataDir(source), dataFiles.packs),
      mirror: merged.models_mirror,
      automatic: merged.pull_models,
      own: merged.models ?? {},
    },
    services: mergeServiceKeys(merged),
    databaseUrl: merged.database_url,
    logLevel: merged.log_level,
    host: merged.host,
    port: merged.port,
    publicUrl: merged.public_url,
    allowQueryAuthorization: merged.allow_query_authorization ?? false,
    rateLimits: merged.rate_limits ?? {},
    connectionLimits: connectionLimits(merged),
    storageQuota: merged.storage_quota_gib === undefined ? undefined : merged.storage_quota_gib * 2 ** 30,
    queuedPerKey: merged.queued_tasks_per_key,
    runningPerKey: merged.running_tasks_per_key,
    agentAnswers: agentAnswers(merged.language_model),
    questionTimeoutMs: (merged.question_timeout_hours ?? 24) * 3_600_000,
    voices: (merged.voices ?? []).map(({ voice_id, name, languages }) => ({ voice_id, name, languages })),
  }
}

function agentAnswers(setting: Settings['language_model']): AgentAnswers {
  if (setting === 'agent') return 'always'
  return setting === 'none' ? 'never' : 'if offered'
}

/** Behind a proxy, which has one address, only the total counts by default. */
function connectionLimits({
  max_connections: total = defaultConnectionLimits.total,
  max_connections_per_address: perAddress,
  public_url: publicUrl,
}: Settings): ConnectionLimits {
  return {
    total,
    perAddress: perAddress ?? (publicUrl === undefined ? defaultConnectionLimits.perAddress : total),
  }
}

/** Reads the settings without defaults, by their names in the file. Throws 6016 naming the key. */
export async function readExplicitSettings(source: ConfigSource): Promise<Settings> {
  const environment = source.environment ?? processEnvironment
  const dataDir = locateDataDir(source)
  const file = join(dataDir, dataFiles.settings)
  const fromFile = validateSettings(await readSettingsFile(file), (key) =>
    key === undefined ? file : `${key} in ${file}`,
  )
  const fromVariables = validateSettings(
    readVariables(environment),
    (key) => settingDescriptions.find(({ name }) => name === key)?.variable ?? 'the environment',
  )
  const given = Object.entries(source.options ?? {}).filter(([, value]) => value !== undefined)
  const fromOptions = validateSettings(Object.fromEntries(given), (key) => `--${key?.replaceAll('_', '-')}`)
  return {
    ...resolvePaths(fromFile, dataDir),
    ...resolvePaths(fromVariables, process.cwd()),
    ...fromOptions,
  }
}

/** Absolute path of the data folder; does not read the settings. */
export function locateDataDir({ dataDir, environment = processEnvironment }: ConfigSource): string {
  const given = dataDir ?? nonEmpty(environment[environmentOnlySettings.dataDir.variable])
  return resolve(given ?? defaultDataDir(environment))
}

/** Names of the variables of ours that an environment sets. */
export function definedVariables(environment: Environment): string[] {
  const names = [...Object.values(environmentOnlySettings), ...settingDescriptions].flatMap(
    ({ variable }) => variable ?? [],
  )
  return names.filter((name) => nonEmpty(environment[name]) !== undefined)
}

/** Values of the settings that are secret. */
export function configSecrets({ apiKey, databaseUrl, services: set }: Config): string[] {
  const password = databaseUrl === undefined ? '' : new URL(databaseUrl).password
  const keys = allServices(set).map(({ key = '' }) => key)
  return [apiKey ?? '', password, unescape(password), ...keys].filter((secret) => secret !== '')
}

/** Merges the separate key settings into the services; they take precedence over keys inside a service. */
function mergeServiceKeys(given: Settings): Services {
  const {
    language_model: modelSetting,
    language_model_key: modelKey,
    transcription,
    transcription_key: transcriptionKey,
    voice_service: voice,
    voice_service_key: voiceKey,
    embedding,
    embedding_key: embeddingKey,
    voices,
  } = given
  const model = typeof modelSetting === 'string' ? undefined : modelSetting
  return {
    ...(model && { language_model: { ...model, key: modelKey ?? model.key } }),
    ...(transcription && { transcription: { ...transcription, key: transcriptionKey ?? transcription.key } }),
    ...(voice && { voice_service: { ...voice, key: voiceKey ?? voice.key } }),
    ...(embedding && { embedding: { ...embedding, key: embeddingKey ?? embedding.key } }),
    ...(voices && { voices }),
  }
}

/** Passes services to a worker in its environment, as they contain keys and other users can read arguments. */
const servicesVariable = 'REELWRIGHT_WORKER_SERVICES'

/** Environment of a worker: this process's without secrets, plus the services. */
export function workerEnvironment(set: Services): Environment {
  const secrets = settingDescriptions.filter(({ name }) => /_key$|^database_url$/.test(name))
  const without = Object.fromEntries(secrets.map(({ variable = '' }) => [variable, undefined]))
  return { ...processEnvironment, ...without, [servicesVariable]: JSON.stringify(set) }
}

/** Reads the services passed to this worker, and removes them from the environment that its child processes inherit. */
export function takeWorkerServices(): Services {
  const json = process.env[servicesVariable]
  delete process.env[servicesVariable]
  return services.parse(JSON.parse(json ?? '{}'))
}

function defaultDataDir(environment: Environment): string {
  const { platform } = process
  const appData = nonEmpty(environment[platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_DATA_HOME'])
  return userDataFolder({ platform, home: homeFolder(), appData })
}

/** Settings name programs that are run, so a file that others can write or replace is rejected. */
async function readSettingsFile(file: string): Promise<unknown> {
  const unsafe = await findUnsafeFile(file)
  if (unsafe) {
    const { reason, fix = 'Use a data folder that no other user can replace: --data-dir' } = unsafe
    throw configurationError(`${file} is not safe: ${reason}`, { hint: `${fix}.` })
  }
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) {
      // The rest of the message quotes the file, which may contain a key.
      const [place] = /line \d+ column \d+/.exec(error.message) ?? []
      throw configurationError(`${file} is not valid JSON${place === undefined ? '' : ` (${place})`}`, {
        hint: 'Correct the file: one JSON object, such as { "allow_urls": true }.',
      })
    }
    const code = errorCode(error)
    // A data folder that is a file is reported by the code that uses it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw configurationError(
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        hint: 'Make it a readable file, or remove it.',
      },
    )
  }
}

/** Validates settings. `origin` describes where a key was set, or all of them without a key. Throws 6016. */
function validateSettings(given: unknown, origin: (key?: keyof Settings) => string): Settings {
  const result = settings.safeParse(given, { error: plainIssueMessage })
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path: [key, ...inside], message }) =>
    [origin(key as keyof Settings | undefined), z.core.toDotPath(inside), message].filter(Boolean).join(': '),
  )
  const isUnknown = result.error.issues.some(({ code }) => code === 'unrecognized_keys')
  throw configurationError(problems.join('; '), { hint: isUnknown ? unknownSettingHint : correctSettingHint })
}

const correctSettingHint = 'Correct or remove the setting; docs/settings.md describes its values.'
const unknownSettingHint = `Correct or remove the setting; known settings are ${Object.keys(settings.shape).join(', ')}.`

function configurationError(message: string, { cause, hint }: { cause?: unknown; hint: string }): MediaError {
  return new MediaError(6016, `invalid configuration: ${message}`, { cause, hint })
}
