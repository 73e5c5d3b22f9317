import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { unescape } from 'node:querystring'
import * as z from 'zod'
import type { Voice } from '../contract/catalog.ts'
import { MediaError } from '../contract/errors.ts'
import { plainIssueMessage } from '../contract/validation.ts'
import { dataFiles } from '../daemon/data-files.ts'
import { isHttpUrl } from '../engines/packs/download-url.ts'
import type { PackSettings } from '../engines/packs/store.ts'
import { services, type Services } from '../engines/services/services.ts'
import type { ToolFilter } from '../mcp/tool-selection.ts'
import { errorCode } from '../platform/system-error.ts'
import {
  settingDescriptions,
  defaults,
  environmentOnlySettings,
  settings,
  type Settings,
} from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** This process's environment, for what starts other processes. */
export const processEnvironment: Environment = process.env

/** ONNX Runtime would tell its makers of every session; it looks here when it loads. */
process.env['ORT_DISABLE_TELEMETRY'] = '1'

/** Every setting, checked; folders and files are absolute paths. */
export interface Config {
  readonly dataDir: string
  /** A service elsewhere; undefined for the one on this machine. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  /** Folders an agent may read and write. */
  readonly allowedDirs: readonly string[]
  /** Where an agent's relative paths start; undefined leaves the choice to the MCP server. */
  readonly workspace: string | undefined
  /** The project an MCP client says it is working on. */
  readonly projectDir: string | undefined
  /** Which tools agents see. */
  readonly tools: ToolFilter
  /** Whether agents may name files by https addresses. */
  readonly allowUrls: boolean
  /** Credits above which the user is asked; undefined for never. */
  readonly confirmAbove: number | undefined
  readonly ffmpeg: string | undefined
  readonly packs: PackSettings
  /** Services that do what models do, with their keys. */
  readonly services: Services
  /** PostgreSQL; undefined for SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  readonly logLevel: NonNullable<Settings['log_level']>
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The https address of a proxy in front of `serve`. */
  readonly publicUrl: string | undefined
  /** Whether `serve` takes the key in the query too. */
  readonly allowQueryAuthorization: boolean
  /** Requests a minute of one key, by operation. */
  readonly rateLimits: Readonly<Record<string, number>>
  /** Bytes that the files of one account may take. */
  readonly storageQuota: number | undefined
  /** Voices that dubbing may name. */
  readonly voices: readonly Voice[]
}

/** Settings that the command line takes as well. */
export type ConfigOptions = {
  readonly [Name in 'host' | 'port' | 'public_url' | 'toolsets' | 'tools' | 'read_only']?: unknown
}

interface ConfigSource {
  /** From the command line, as are `options`; both go before the environment's. */
  readonly dataDir?: string | undefined
  readonly options?: ConfigOptions | undefined
  /** Left out, this process's. The local daemon takes none: it serves more than the client that started it. */
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
    storageQuota: merged.storage_quota_gib === undefined ? undefined : merged.storage_quota_gib * 2 ** 30,
    voices: merged.voices ?? [],
  }
}

/** What of the settings somebody set, checked, by their names in the file. Throws 6016 naming the key. */
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

/** The data folder, absolute; also where the settings in it cannot be read. */
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

/** What of the settings nobody may be told. */
export function configSecrets({ apiKey, databaseUrl, services: set }: Config): string[] {
  const password = databaseUrl === undefined ? '' : new URL(databaseUrl).password
  const keys = Object.values(set).map((service) => service?.key ?? '')
  return [apiKey ?? '', password, unescape(password), ...keys].filter((secret) => secret !== '')
}

/** Services with the keys that stand beside them, which go before those in them. */
function mergeServiceKeys(given: Settings): Services {
  const {
    language_model: model,
    language_model_key: modelKey,
    transcription,
    transcription_key: transcriptionKey,
    voice_service: voice,
    voice_service_key: voiceKey,
  } = given
  return {
    ...(model && { language_model: { ...model, key: modelKey ?? model.key } }),
    ...(transcription && { transcription: { ...transcription, key: transcriptionKey ?? transcription.key } }),
    ...(voice && { voice_service: { ...voice, key: voiceKey ?? voice.key } }),
  }
}

/** A worker is told of services, which have keys, by its environment: its arguments anybody may read. */
const servicesVariable = 'REELWRIGHT_SERVICES_TOLD'

/** The environment of a worker that is told of services; what opens something is told in no other way. */
export function workerEnvironment(set: Services): Environment {
  const secrets = settingDescriptions.filter(({ name }) => /_key$|^database_url$/.test(name))
  const without = Object.fromEntries(secrets.map(({ variable = '' }) => [variable, undefined]))
  return { ...processEnvironment, ...without, [servicesVariable]: JSON.stringify(set) }
}

/** What this process's environment tells of services; the programs it starts are not told. */
export function takeWorkerServices(): Services {
  const told = process.env[servicesVariable]
  delete process.env[servicesVariable]
  return services.parse(JSON.parse(told ?? '{}'))
}

/** Makes paths absolute: those of the file start from its folder, the environment's from the current one. */
function resolvePaths(given: Settings, base: string): Settings {
  const absolute = (name: string) => resolve(base, name.replace(/^~(?=[/\\]|$)/, homedir()))
  const { allowed_dirs, workspace, ffmpeg, models_mirror: mirror, models, voice_service: voice } = given
  return {
    ...given,
    ...(allowed_dirs && { allowed_dirs: allowed_dirs.map(absolute) }),
    ...(workspace && { workspace: absolute(workspace) }),
    ...(mirror && { models_mirror: isHttpUrl(mirror) ? mirror : absolute(mirror) }),
    ...(models && {
      models: Object.fromEntries(
        Object.entries(models).map(([name, model]) => [
          name,
          model && { ...model, path: absolute(model.path) },
        ]),
      ),
    }),
    ...(voice?.folder !== undefined && { voice_service: { ...voice, folder: absolute(voice.folder) } }),
    // A bare name is looked for on PATH.
    ...(ffmpeg && { ffmpeg: /[/\\]/.test(ffmpeg) ? absolute(ffmpeg) : ffmpeg }),
  }
}

/** An empty variable is one that is not set; a client's unfilled `${NAME}` as well. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' || /^\$\{.*\}$/.test(value) ? undefined : value
}

function defaultDataDir(environment: Environment): string {
  switch (process.platform) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'reelwright')
    case 'win32':
      return join(nonEmpty(environment['LOCALAPPDATA']) ?? join(homedir(), 'AppData', 'Local'), 'reelwright')
    default:
      return join(nonEmpty(environment['XDG_DATA_HOME']) ?? join(homedir(), '.local', 'share'), 'reelwright')
  }
}

function readVariables(environment: Environment): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const { name, variable } of settingDescriptions) {
    const value = variable === undefined ? undefined : nonEmpty(environment[variable])
    if (value === undefined) continue
    given[name] = (variableParsers[name] ?? String)(value)
  }
  return given
}

/** How a variable is read that is no text. */
const variableParsers: Readonly<Record<string, (value: string) => unknown>> = {
  allowed_dirs: (value) => value.split(delimiter).filter(Boolean),
  toolsets: parseList,
  tools: parseList,
  port: Number,
  confirm_above_credits: Number,
  read_only: parseBoolean,
  allow_urls: parseBoolean,
  pull_models: parseBoolean,
  allow_query_authorization: parseBoolean,
}

/** A list as variables and options write it: with commas. */
export function parseList(value: string): string[] {
  return value.split(',').flatMap((item) => item.trim() || [])
}

/** What is neither is left to the schema to refuse. */
function parseBoolean(value: string): unknown {
  return { true: true, '1': true, false: false, '0': false }[value] ?? value
}

async function readSettingsFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) {
      // The rest of its message quotes the file, which may hold a key.
      const [place] = /line \d+ column \d+/.exec(error.message) ?? []
      throw configurationError(`${file} is not JSON${place === undefined ? '' : ` (${place})`}`, {
        hint: 'Correct the file: one JSON object, such as { "allow_urls": true }.',
      })
    }
    const code = errorCode(error)
    // A data folder that is a file is told by whoever uses it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw configurationError(
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        hint: 'Make it a file that you may read, or remove it.',
      },
    )
  }
}

/** Checks settings against their schema; `whence` names where a key, or all of them, was set. */
function validateSettings(given: unknown, whence: (key?: keyof Settings) => string): Settings {
  const result = settings.safeParse(given, { error: plainIssueMessage })
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path: [key, ...inside], message }) =>
    [whence(key as keyof Settings | undefined), z.core.toDotPath(inside), message].filter(Boolean).join(': '),
  )
  const isUnknown = result.error.issues.some(({ code }) => code === 'unrecognized_keys')
  throw configurationError(problems.join('; '), { hint: isUnknown ? unknownSettingHint : correctSettingHint })
}

const correctSettingHint =
  'Correct the named setting, or leave it out; docs/settings.md tells what each takes.'
const unknownSettingHint = `Correct the name, or leave it out; known ones are ${Object.keys(settings.shape).join(', ')}.`

function configurationError(message: string, { cause, hint }: { cause?: unknown; hint: string }): MediaError {
  return new MediaError(6016, `invalid configuration: ${message}`, { cause, hint })
}
