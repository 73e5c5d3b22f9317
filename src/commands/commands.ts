import { once } from 'node:events'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type * as Administration from './keys.ts'
import type { Connection } from '../client/client.ts'
import {
  locateDataDir,
  processEnvironment,
  readConfig,
  configSecrets,
  type Config,
  type ConfigOptions,
} from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { defaultWorkspace, findingsOf } from './findings.ts'
import type { ServiceConnector } from '../mcp/service-connector.ts'
import { packageVersion } from '../platform/environment.ts'

// Each command loads its own modules when it runs, so that `mcp` starts fast.

const mainModule = join(
  import.meta.dirname,
  '..',
  import.meta.filename.endsWith('.ts') ? 'main.ts' : 'main.js',
)

/** Opens this process's log, to a file or stderr; it tells none of the settings' secrets. */
async function openLogOf(config: Config, file?: string): Promise<Logger> {
  const { registerSecret: conceal, openLog } = await import('../platform/log.ts')
  configSecrets(config).forEach(conceal)
  return openLog({ level: config.logLevel, file })
}

/** Tells a client what it set to no effect. */
async function warnOfIgnored({ baseUrl, dataDir }: Config, log: Logger): Promise<void> {
  if (baseUrl !== undefined) return
  const { findIgnoredSettings: ignoredByService } = await import('../config/ignored-settings.ts')
  for (const { detail, fix } of await ignoredByService(dataDir)) log.warn(`${detail}. Fix: ${fix}`)
}

interface McpOptions {
  readonly dataDir?: string | undefined
  readonly allowDirs?: readonly string[] | undefined
  /** Which tools agents see. */
  readonly options?: ConfigOptions | undefined
}

/** Serves MCP over stdin and stdout until the client goes. */
export async function mcp({ dataDir, allowDirs = [], options }: McpOptions): Promise<void> {
  const [{ startMcpServer }, { operations }, config, version] = await Promise.all([
    import('../mcp/stdio-server.ts'),
    import('../../tools/index.ts'),
    readConfig({ dataDir, options }),
    packageVersion(),
  ])
  const log = await openLogOf(config)
  await warnOfIgnored(config, log)
  const server = await startMcpServer({
    version,
    tools: config.tools,
    confirmAbove: config.confirmAbove,
    allowUrls: config.allowUrls,
    operations: operations.map(({ operation }) => operation),
    ...doorOf(config, version),
    workspace: {
      allowedFolders: [...allowDirs, ...config.allowedDirs],
      workspace: config.workspace,
      projectFolder: config.projectDir,
      defaultFolder: defaultWorkspace,
    },
    promptsFolder: join(import.meta.dirname, '..', '..', 'prompts'),
    report: (error) => log.error(error),
  })
  await server.closed
}

interface McpHttpOptions extends Omit<McpOptions, 'allowDirs'> {
  readonly port?: number | undefined
}

/** Beside the service's own port. */
const mcpHttpPort = 8788

/** Serves MCP over streamable HTTP until it is told to end; each caller's key is its key of the service. */
export async function mcpHttp({ dataDir, options, port = mcpHttpPort }: McpHttpOptions): Promise<void> {
  const [{ startMcpHttpServer }, { checkReach }, { isLoopback }, { operations }, config, version] =
    await Promise.all([
      import('../mcp/http-server.ts'),
      import('./check-reach.ts'),
      import('../platform/loopback.ts'),
      import('../../tools/index.ts'),
      readConfig({ dataDir, options }),
      packageVersion(),
    ])
  checkReach(config)
  const log = await openLogOf(config)
  await warnOfIgnored(config, log)
  const { host, publicUrl, baseUrl } = config
  const address = async (): Promise<string> => baseUrl ?? (await reach(config, version)).baseUrl
  const server = await startMcpHttpServer({
    version,
    host,
    port,
    publicUrl,
    tools: config.tools,
    confirmAbove: config.confirmAbove,
    allowUrls: config.allowUrls,
    operations: operations.map(({ operation }) => operation),
    connectorFor: (key) => doorOf(config, version, key),
    async serviceAddress() {
      const own = await address()
      // Beyond this machine the proxy in front stands before both.
      return publicUrl !== undefined && isLoopback(new URL(own).hostname) ? new URL(publicUrl).origin : own
    },
    promptsFolder: join(import.meta.dirname, '..', '..', 'prompts'),
    log,
  })
  process.stdout.write(`listening on ${server.url}\n`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await server.close()
}

interface Address {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Address of the configured service, or of this machine's, which is started when it is not there. */
async function reach({ dataDir, baseUrl, apiKey }: Config, version: string): Promise<Address> {
  if (baseUrl === undefined) {
    const { findOrStartDaemon } = await import('../daemon/find-or-start.ts')
    const command = [process.execPath, mainModule, 'daemon', '--data-dir', dataDir]
    return await findOrStartDaemon({ dataDir, version, command, environment: processEnvironment })
  }
  if (apiKey !== undefined) return { baseUrl, apiKey }
  throw new MediaError(6502, `${baseUrl} needs an API key`, {
    hint: 'Set REELWRIGHT_API_KEY, or api_key in reelwright.config.json.',
  })
}

/** To the service that `reach` answers, with its own key or another; one of this machine is also found without being started. */
function doorOf(config: Config, version: string, key?: string): ServiceConnector {
  const client = async (address: Address): Promise<Connection> =>
    (await import('../client/client.ts')).createClient({
      ...address,
      ...(key !== undefined && { apiKey: key }),
    })
  const connect = async () => await client(await reach({ ...config, apiKey: key ?? config.apiKey }, version))
  if (config.baseUrl !== undefined) return { connect }
  return {
    connect,
    async find() {
      const { findDaemon } = await import('../daemon/find-or-start.ts')
      const found = await findDaemon(config.dataDir)
      return found && (await client(found))
    },
  }
}

/** Is the data folder's service, started by the first `mcp`; answers the exit code. */
export async function daemon({ dataDir }: { dataDir?: string | undefined }): Promise<number> {
  // It serves many clients: nothing of the one that started it counts.
  const source = { dataDir, environment: {} }
  const { watchSettingsFile: settingsChanges } = await import('../daemon/auto-exit.ts')
  const isChanged = await settingsChanges(locateDataDir(source))
  const config = await readConfig(source)
  const [
    { prepareDataFolder },
    { daemonLogPath: daemonLog },
    { runDaemon },
    { startService },
    { serviceOptionsFromConfig: serviceParts },
    { operations },
  ] = await Promise.all([
    import('../daemon/data-folder.ts'),
    import('../daemon/launch.ts'),
    import('../daemon/run-daemon.ts'),
    import('../service/service.ts'),
    import('../service/engine-settings.ts'),
    import('../../tools/index.ts'),
  ])
  await prepareDataFolder(config.dataDir)
  const log = await openLogOf(config, daemonLog(config.dataDir))
  return await runDaemon({
    dataDir: config.dataDir,
    version: await packageVersion(),
    log,
    // What cannot be read would leave its clients without a service. Throws then.
    isOutdated: async () => (await isChanged()) && (await readConfig(source)) !== undefined,
    startService: async (side) =>
      startService({
        ...side,
        ...serviceParts(config, mainModule),
        operations,
        log,
        dataDir: config.dataDir,
        localImport: true,
      }),
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
  const [{ runInForeground }, { serviceOptionsFromConfig: serviceParts }] = await Promise.all([
    import('./serve.ts'),
    import('../service/engine-settings.ts'),
  ])
  const log = await openLogOf(config)
  await runInForeground(config, {
    version: await packageVersion(),
    log,
    ...serviceParts(config, mainModule),
  })
}

/** Does something to the accounts of the service here, whether it runs or not. */
export async function administer(
  dataDir: string | undefined,
  act: (administration: typeof Administration, config: Config) => Promise<void>,
): Promise<void> {
  await act(await import('./keys.ts'), await readConfig({ dataDir }))
}

/** Removes old files of the service that this machine's clients use, and tells what that freed. */
export async function clean({
  dataDir,
  keepDays,
}: Record<'dataDir', string | undefined> & { keepDays: number | undefined }): Promise<void> {
  const [{ routes }, { describeSize }, config, version] = await Promise.all([
    import('../contract/routes.ts'),
    import('../contract/format.ts'),
    readConfig({ dataDir }),
    packageVersion(),
  ])
  const service = await doorOf(config, version).connect()
  const freed = await service.call(routes.cleanFiles, { body: { keep_days: keepDays } })
  const { storage } = await service.call(routes.capabilities)
  await service.close()
  const files = freed.files === 1 ? '1 file' : `${freed.files} files`
  const left = storage ? `; ${describeSize(storage.used_bytes)} are left` : ''
  process.stdout.write(`${describeSize(freed.bytes)} freed with ${files}${left}\n`)
}

/** Prints an address that opens the page of the service that this machine's clients use, started when needed. */
export async function page(dataDir: string | undefined): Promise<void> {
  const [{ createClient }, { routes }, config, version] = await Promise.all([
    import('../client/client.ts'),
    import('../contract/routes.ts'),
    readConfig({ dataDir }),
    packageVersion(),
  ])
  const address = await reach(config, version)
  const service = createClient(address)
  try {
    const { ticket } = await service.call(routes.pageTicket)
    process.stdout.write(`${address.baseUrl.replace(/\/$/, '')}/#ticket=${ticket}\n`)
  } finally {
    await service.close()
  }
}

interface DoctorOptions {
  readonly dataDir?: string | undefined
  readonly json?: boolean | undefined
}

/** Prints what is there and what is missing; answers 1 when something is. */
export async function doctor({ dataDir, json = false }: DoctorOptions): Promise<number> {
  const { describeFindings } = await import('../doctor/finding.ts')
  const findings = await findingsOf(dataDir)
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : describeFindings(findings))
  return findings.some(({ state }) => state === 'missing') ? 1 : 0
}
