import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type * as Administration from './administer.ts'
import type { Connection } from './client/client.ts'
import { processEnvironment, readConfig, secretsOf, type Config } from './config.ts'
import { MediaError } from './contract/errors.ts'
import { dataFiles } from './daemon/data-files.ts'
import type { Finding } from './doctor/finding.ts'
import type { Door } from './mcp/connection.ts'

// Each command loads its own modules when it runs, so that `mcp` starts fast.

const mainModule = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'main.ts' : 'main.js')

/** Where results go when no folder is set; made on first use. */
const defaultWorkspace = join(homedir(), 'Reelwright')

/** Version of this package. */
export async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(
    await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8'),
  )
  return String((manifest as { version: unknown }).version)
}

/** Opens this process's log, to a file or stderr; it tells none of the settings' secrets. */
async function openLogOf(config: Config, file?: string): Promise<Logger> {
  const { conceal, openLog } = await import('./platform/log.ts')
  secretsOf(config).forEach(conceal)
  return openLog({ level: config.logLevel, file })
}

interface McpOptions {
  readonly dataDir?: string | undefined
  readonly allowDirs?: readonly string[] | undefined
}

/** Serves MCP over stdin and stdout until the client goes. */
export async function mcp({ dataDir, allowDirs = [] }: McpOptions): Promise<void> {
  const [{ startMcpServer }, { operations }, config, version] = await Promise.all([
    import('./mcp/server.ts'),
    import('../tools/index.ts'),
    readConfig({ dataDir }),
    packageVersion(),
  ])
  const log = await openLogOf(config)
  const server = await startMcpServer({
    version,
    operations: operations.map(({ operation }) => operation),
    ...doorOf(config, version),
    workspace: {
      allowedFolders: [...allowDirs, ...config.allowedDirs],
      workspace: config.workspace,
      projectFolder: config.projectDir,
      defaultFolder: defaultWorkspace,
    },
    promptsFolder: join(import.meta.dirname, '..', 'prompts'),
    report: (error) => log.error(error),
  })
  await server.closed
}

/** To the configured service, or to this machine's, which is started when it is not there. */
function doorOf({ dataDir, baseUrl, apiKey }: Config, version: string): Door {
  const client = async (address: { baseUrl: string; apiKey: string }): Promise<Connection> =>
    (await import('./client/client.ts')).createClient(address)
  if (baseUrl !== undefined) {
    return {
      async connect() {
        if (apiKey !== undefined) return await client({ baseUrl, apiKey })
        throw new MediaError(6502, `${baseUrl} needs an API key`, {
          hint: 'Set REELWRIGHT_API_KEY, or api_key in reelwright.config.json.',
        })
      },
    }
  }
  const command = [process.execPath, mainModule, 'daemon', '--data-dir', dataDir]
  return {
    async connect() {
      const { findOrStartDaemon } = await import('./daemon/find-or-start.ts')
      return await client(
        await findOrStartDaemon({ dataDir, version, command, environment: processEnvironment }),
      )
    },
    async find() {
      const { findDaemon } = await import('./daemon/find-or-start.ts')
      const found = await findDaemon(dataDir)
      return found && (await client(found))
    },
  }
}

/** Is the data folder's service, started by the first `mcp`; answers the exit code. */
export async function daemon({ dataDir }: { dataDir?: string | undefined }): Promise<number> {
  // It serves many clients: nothing of the one that started it counts.
  const config = await readConfig({ dataDir, environment: {} })
  const [{ prepareDataFolder }, { daemonLog }, { runDaemon }, { startService }, { operations }] =
    await Promise.all([
      import('./daemon/data-folder.ts'),
      import('./daemon/launch.ts'),
      import('./daemon/run-daemon.ts'),
      import('./service.ts'),
      import('../tools/index.ts'),
    ])
  await prepareDataFolder(config.dataDir)
  const log = await openLogOf(config, daemonLog(config.dataDir))
  return await runDaemon({
    dataDir: config.dataDir,
    version: await packageVersion(),
    log,
    startService: async (side) =>
      startService({ ...side, ...(await serviceParts(config)), operations, log, dataDir: config.dataDir }),
  })
}

interface ServeOptions {
  readonly dataDir?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly publicUrl?: string | undefined
}

/** Runs the service in the foreground until it is told to end. */
export async function serve({ dataDir, publicUrl, ...rest }: ServeOptions): Promise<void> {
  const config = await readConfig({ dataDir, options: { ...rest, public_url: publicUrl } })
  const { runInForeground } = await import('./serve.ts')
  const log = await openLogOf(config)
  await runInForeground(config, { version: await packageVersion(), log, ...(await serviceParts(config)) })
}

/** What starts a worker, the rate limits and the voices; a configured ffmpeg is looked at now, so that every later use finds it. */
async function serviceParts({ ffmpeg, rateLimits, voices }: Config) {
  const { locateFfmpeg } = await import('./engines/ffmpeg/locate.ts')
  // What is missing is told to those who need it.
  if (ffmpeg !== undefined) await locateFfmpeg(ffmpeg).catch(() => undefined)
  const args = ffmpeg === undefined ? [] : ['--ffmpeg', ffmpeg]
  return { worker: { module: mainModule, args: ['worker', ...args] }, rateLimits, voices }
}

/** Does attempts for the supervisor that forked this process. */
export async function worker({ ffmpeg }: { ffmpeg?: string | undefined }): Promise<void> {
  const [{ runWorker }, { locateFfmpeg }, { operations }] = await Promise.all([
    import('./tasks/worker.ts'),
    import('./engines/ffmpeg/locate.ts'),
    import('../tools/index.ts'),
  ])
  if (ffmpeg !== undefined) await locateFfmpeg(ffmpeg).catch(() => undefined)
  runWorker(operations)
}

/** Does something to the accounts of the service here, whether it runs or not. */
export async function administer(
  dataDir: string | undefined,
  act: (administration: typeof Administration, config: Config) => Promise<void>,
): Promise<void> {
  await act(await import('./administer.ts'), await readConfig({ dataDir }))
}

interface DoctorOptions {
  readonly dataDir?: string | undefined
  readonly json?: boolean | undefined
}

/** Prints what is there and what is missing; answers 1 when something is. */
export async function doctor({ dataDir, json = false }: DoctorOptions): Promise<number> {
  const { describeFindings } = await import('./doctor/finding.ts')
  const findings = await findingsOf(dataDir)
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : describeFindings(findings))
  return findings.some(({ state }) => state === 'missing') ? 1 : 0
}

/** Looks at all that is needed here, as far as the settings can be read. */
export async function findingsOf(dataDirOption: string | undefined): Promise<Finding[]> {
  const { examine, examineSettings } = await import('./doctor/examine.ts')
  const version = await packageVersion()
  try {
    const config = await readConfig({ dataDir: dataDirOption })
    const { dataDir, workspace, projectDir, allowedDirs, baseUrl, apiKey } = config
    // The local service knows only its file.
    const local = await readConfig({ dataDir, environment: {} })
    return await examine({
      version,
      dataDir,
      folders: [workspace, projectDir, ...allowedDirs].filter((folder) => folder !== undefined),
      defaultWorkspace,
      baseUrl,
      apiKey,
      ffmpeg: local.ffmpeg,
      ffmpegHere: config.ffmpeg,
      settingsFile: join(dataDir, dataFiles.settings),
    })
  } catch (error) {
    if (error instanceof MediaError && error.code === 6016) return examineSettings(version, error)
    throw error
  }
}
