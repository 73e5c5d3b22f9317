import { once } from 'node:events'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { readConfig, type Config } from '../config/config.ts'
import { parseList } from '../config/environment-variables.ts'
import { privateFolders } from '../config/private-folders.ts'
import { defaultWorkspace } from '../config/settings.ts'
import { toolsets } from '../contract/operation.ts'
import { packageVersion } from '../platform/environment.ts'
import {
  checkListenAddress,
  openCommandLog,
  warnOfReadableSettings,
  parsePort,
  UsageError,
  type Command,
  type CommandCall,
  type OptionValues,
} from './command.ts'
import { localProgram } from './local-program.ts'
import { serviceAddress, serviceConnector } from './service-connection.ts'

export const mcp: Command = {
  keepsUmask: true,
  summary: 'serve MCP over stdin and stdout, for MCP clients to start; with --http, over HTTP',
  options: {
    http: { type: 'boolean' },
    host: { type: 'string' },
    port: { type: 'string' },
    'public-url': { type: 'string' },
    'allow-dir': { type: 'string', multiple: true },
    toolsets: { type: 'string' },
    tools: { type: 'string' },
    'read-only': { type: 'boolean' },
  },
  help: [
    ['--allow-dir <folder>', 'folder agents may read and write; repeatable'],
    ['--toolsets <list>', `only tools of these groups: ${toolsets.join(',')}`],
    ['--tools <list>', 'only these tools; with --toolsets, these in addition'],
    ['--read-only', 'only tools that change nothing'],
    ['--http', 'serve streamable HTTP instead; each caller sends its own API key of the service'],
    ['--host <address>', 'with --http: address to listen on (127.0.0.1); another needs --public-url'],
    ['--port <number>', 'with --http: port to listen on (8788); 0 picks a free one'],
    ['--public-url <url>', 'with --http: https address of the TLS proxy in front, which clients use'],
  ],
  async run(call) {
    checkTransportOptions(call.values)
    await (call.values.http ? serveHttp(call) : serveStdio(call))
  },
}

/** Over stdio there is no address to listen on, and over HTTP there are no folders. */
function checkTransportOptions(values: OptionValues): void {
  const { http = false } = values
  const excluded = http ? (['allow-dir'] as const) : (['host', 'port', 'public-url'] as const)
  const misplaced = excluded.find((name) => values[name] !== undefined)
  if (misplaced) throw new UsageError(`--${misplaced} goes ${http ? 'without' : 'with'} --http`)
}

const promptsFolder = join(import.meta.dirname, '..', '..', 'prompts')

/** Default port of MCP over HTTP; differs from the service's own. */
const defaultHttpPort = 8788

/** Serves MCP over stdin and stdout until the client disconnects. */
async function serveStdio({ values, io }: CommandCall): Promise<void> {
  const { environment } = io
  const [{ startMcpServer }, { operations }, config, version] = await Promise.all([
    import('../mcp/stdio-server.ts'),
    import('../../tools/index.ts'),
    readConfig({ dataDir: values['data-dir'], options: toolOptions(values), environment }),
    packageVersion(),
  ])
  const log = await openCommandLog(config)
  await warnOfIgnoredSettings(config, { log, environment })
  await warnOfReadableSettings(config.dataDir, log)
  // The local service reads its settings from its file alone.
  const local = await readConfig({ dataDir: config.dataDir, environment: {} })
  const server = await startMcpServer({
    version,
    tools: config.tools,
    confirmAbove: config.confirmAbove,
    allowUrls: config.allowUrls,
    operations: operations.map(({ operation }) => operation),
    ...serviceConnector({ config, version, environment }),
    program: await localProgram(config, environment),
    workspace: {
      allowedFolders: [...(values['allow-dir'] ?? []), ...config.allowedDirs],
      workspace: config.workspace,
      projectFolder: config.projectDir,
      defaultFolder: defaultWorkspace,
      privateFolders: privateFolders(config, local),
    },
    promptsFolder,
    report: (error) => log.error(error),
  })
  await server.closed
}

/** Serves MCP over streamable HTTP until SIGINT or SIGTERM; each caller's key is its API key of the service. */
async function serveHttp({ values, io }: CommandCall): Promise<void> {
  const { environment } = io
  const port = parsePort(values) ?? defaultHttpPort
  const options = { ...toolOptions(values), host: values.host, public_url: values['public-url'] }
  const [{ startMcpHttpServer }, { isLoopback }, { operations }, config, version] = await Promise.all([
    import('../mcp/http-server.ts'),
    import('../platform/loopback.ts'),
    import('../../tools/index.ts'),
    readConfig({ dataDir: values['data-dir'], options, environment }),
    packageVersion(),
  ])
  checkListenAddress(config)
  const log = await openCommandLog(config)
  await warnOfIgnoredSettings(config, { log, environment })
  await warnOfReadableSettings(config.dataDir, log)
  const { host, publicUrl, baseUrl, connectionLimits } = config
  const access = { config, version, environment }
  const server = await startMcpHttpServer({
    version,
    host,
    port,
    publicUrl,
    connectionLimits,
    tools: config.tools,
    confirmAbove: config.confirmAbove,
    allowUrls: config.allowUrls,
    operations: operations.map(({ operation }) => operation),
    connectorFor: (key) => serviceConnector(access, key),
    async serviceAddress() {
      const own = baseUrl ?? (await serviceAddress(access)).baseUrl
      // Clients elsewhere reach a service of this machine through the same proxy.
      return publicUrl !== undefined && isLoopback(new URL(own).hostname) ? new URL(publicUrl).origin : own
    },
    promptsFolder,
    log,
  })
  io.stdout.write(`listening on ${server.url}\n`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await server.close()
}

function toolOptions(values: OptionValues) {
  return {
    toolsets: values.toolsets && parseList(values.toolsets),
    tools: values.tools && parseList(values.tools),
    read_only: values['read-only'],
  }
}

/** Warns of variables that the local service does not read. */
async function warnOfIgnoredSettings(
  { baseUrl, dataDir }: Config,
  { log, environment }: { readonly log: Logger } & Pick<CommandCall['io'], 'environment'>,
): Promise<void> {
  if (baseUrl !== undefined) return
  const { findIgnoredSettings } = await import('../config/ignored-settings.ts')
  for (const { detail, fix } of await findIgnoredSettings(dataDir, environment)) {
    log.warn(`${detail}. Fix: ${fix}`)
  }
}
