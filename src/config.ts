import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import * as z from 'zod'
import { MediaError } from './contract/errors.ts'

/** Name of the settings file inside the data folder. */
export const configFileName = 'reelwright.config.json'

const path = z.string().min(1)

/** Settings of `reelwright.config.json`. */
const settings = z.strictObject({
  base_url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  api_key: z.string().min(1).optional(),
  allowed_dirs: z.array(path).optional(),
  workspace: path.optional(),
  ffmpeg: path.optional(),
  database_url: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' }).optional(),
  log_level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
})
type Settings = z.infer<typeof settings>

/** What the environment may set: each variable and the setting it stands for. */
const variables = {
  base_url: 'REELWRIGHT_BASE_URL',
  api_key: 'REELWRIGHT_API_KEY',
  allowed_dirs: 'REELWRIGHT_ALLOWED_DIRS',
  workspace: 'REELWRIGHT_WORKSPACE',
  ffmpeg: 'REELWRIGHT_FFMPEG',
  database_url: 'DATABASE_URL',
  log_level: 'REELWRIGHT_LOG_LEVEL',
  host: 'REELWRIGHT_HOST',
  port: 'REELWRIGHT_PORT',
} as const

type Environment = Readonly<Record<string, string | undefined>>

/** This process's environment, for what starts other processes. */
export const processEnvironment: Environment = process.env

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
  readonly ffmpeg: string | undefined
  /** PostgreSQL; undefined for SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  readonly logLevel: NonNullable<Settings['log_level']>
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

interface Source {
  /** From the command line; goes before the environment's. */
  readonly dataDir?: string | undefined
  /** Left out, this process's. The local daemon takes none: it serves more than the client that started it. */
  readonly environment?: Environment
}

/** Reads the settings: environment, then `reelwright.config.json`, then defaults. Throws 6016 naming the key. */
export async function readConfig(source: Source = {}): Promise<Config> {
  const environment = source.environment ?? processEnvironment
  const dataDir = resolve(
    source.dataDir ?? present(environment['REELWRIGHT_DATA_DIR']) ?? defaultDataDir(environment),
  )
  const file = join(dataDir, configFileName)
  const fromFile = check(await readSettings(file), (key) => (key === undefined ? file : `${key} in ${file}`))
  const fromVariables = check(variablesOf(environment), (key) =>
    key === undefined ? 'the environment' : variables[key],
  )
  const projectDir = present(environment['CLAUDE_PROJECT_DIR'])
  const merged = { ...located(fromFile, dataDir), ...located(fromVariables, process.cwd()) }
  return {
    dataDir,
    baseUrl: merged.base_url,
    apiKey: merged.api_key,
    allowedDirs: merged.allowed_dirs ?? [],
    workspace: merged.workspace,
    projectDir: projectDir === undefined ? undefined : resolve(projectDir),
    ffmpeg: merged.ffmpeg,
    databaseUrl: merged.database_url,
    logLevel: merged.log_level ?? 'info',
    host: merged.host ?? '127.0.0.1',
    port: merged.port ?? 8787,
  }
}

/** Makes paths absolute: those of the file start from its folder, the environment's from the current one. */
function located(given: Settings, base: string): Settings {
  const absolute = (name: string) => resolve(base, name.replace(/^~(?=[/\\]|$)/, homedir()))
  const { allowed_dirs, workspace, ffmpeg } = given
  return {
    ...given,
    ...(allowed_dirs && { allowed_dirs: allowed_dirs.map(absolute) }),
    ...(workspace && { workspace: absolute(workspace) }),
    // A bare name is looked for on PATH.
    ...(ffmpeg && { ffmpeg: /[/\\]/.test(ffmpeg) ? absolute(ffmpeg) : ffmpeg }),
  }
}

/** An empty variable is one that is not set; a client's unfilled `${NAME}` as well. */
function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' || /^\$\{.*\}$/.test(value) ? undefined : value
}

function defaultDataDir(environment: Environment): string {
  switch (process.platform) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'reelwright')
    case 'win32':
      return join(present(environment['LOCALAPPDATA']) ?? join(homedir(), 'AppData', 'Local'), 'reelwright')
    default:
      return join(present(environment['XDG_DATA_HOME']) ?? join(homedir(), '.local', 'share'), 'reelwright')
  }
}

function variablesOf(environment: Environment): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [key, name] of Object.entries(variables)) {
    const value = present(environment[name])
    if (value === undefined) continue
    if (key === 'allowed_dirs') given[key] = value.split(delimiter).filter(Boolean)
    else given[key] = key === 'port' ? Number(value) : value
  }
  return given
}

async function readSettings(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) {
      // The rest of its message quotes the file, which may hold a key.
      const [place] = /line \d+ column \d+/.exec(error.message) ?? []
      throw invalid(`${file} is not JSON${place === undefined ? '' : ` (${place})`}`)
    }
    const { code, message } = error as NodeJS.ErrnoException
    // A data folder that is a file is told by whoever uses it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw invalid(`${file} cannot be read: ${message}`, error)
  }
}

/** Checks settings against their schema; `whence` names where a key, or all of them, was set. */
function check(given: unknown, whence: (key?: keyof Settings) => string): Settings {
  const result = settings.safeParse(given)
  if (result.success) return result.data
  const problems = result.error.issues.map(
    ({ path: [key], message }) => `${whence(key as keyof Settings | undefined)}: ${message}`,
  )
  throw invalid(problems.join('; '))
}

function invalid(message: string, cause?: unknown): MediaError {
  return new MediaError(6016, `invalid configuration: ${message}`, {
    cause,
    hint: `Correct the named setting; known ones are ${Object.keys(settings.shape).join(', ')}.`,
  })
}
