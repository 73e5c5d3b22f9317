// A daemon whose service is a bare HTTP server; its one argument is TestDaemonOptions as JSON.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { HostedService, HostProcess } from '../../src/platform/hosting.ts'
import { initializeProcess } from '../service/initialize-process.ts'

initializeProcess()
const { routes } = await import('../../src/contract/routes.ts')
const { runDaemon } = await import('../../src/daemon/run-daemon.ts')
const { armFailpoint } = await import('../../src/platform/failpoint.ts')
const { healthResponse } = await import('../../src/platform/hosting.ts')
const { watchSettingsFile } = await import('../../src/daemon/auto-exit.ts')
const { openLog } = await import('../../src/platform/log.ts')

export interface TestDaemonOptions {
  readonly dataDir: string
  readonly version: string
  readonly busy?: boolean
  /** Message of an error thrown instead of starting. */
  readonly fails?: string
  readonly failpoint?: string
  readonly idleMs?: number
  /** Starts a child that outlives a killed daemon; its pid is written to `children.txt`. */
  readonly withChild?: boolean
}

const options = JSON.parse(process.argv[2] ?? '') as TestDaemonOptions

async function startService(host: HostProcess): Promise<HostedService> {
  await appendFile(join(options.dataDir, 'started.txt'), `${process.pid}\n`)
  if (options.fails) throw new Error(options.fails)
  if (options.withChild) await startChild()
  let lastActivity = Date.now()
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/health')) lastActivity = Date.now()
    void respond(host, request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    isBusy: async () => options.busy ?? false,
    hasOpenRequests: () => false,
    lastActivity: () => lastActivity,
    close: async () => void (await once(server.close(), 'close')),
  }
}

async function respond(host: HostProcess, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '', 'http://localhost')
  const authorized = request.headers.authorization === host.key
  if (url.pathname === '/health')
    response.end(JSON.stringify(healthResponse(host, url.searchParams.get('nonce') ?? '')))
  else if (url.pathname === '/environment' && authorized) response.end(JSON.stringify(process.env))
  else if (url.pathname === routes.exitDaemon.path && authorized)
    response.writeHead((await host.exitIfIdle()) ? 200 : 409).end()
  else response.writeHead(401).end()
}

async function startChild(): Promise<void> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  child.unref()
  await once(child, 'spawn')
  await appendFile(join(options.dataDir, 'children.txt'), `${child.pid}\n`)
}

if (options.failpoint) armFailpoint(options.failpoint)
const { dataDir, version, idleMs } = options
const isOutdated = await watchSettingsFile(dataDir)
process.exit(await runDaemon({ dataDir, version, idleMs, isOutdated, startService, log: openLog() }))
