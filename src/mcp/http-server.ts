import type { Logger } from 'pino'
import { routes } from '../contract/routes.ts'
import { notifyOfChanges } from './announce.ts'
import { buildServer } from './build-server.ts'
import type { ServiceConnector } from './connection.ts'
import type { ResolveServiceAddress } from './file-links.ts'
import { createHttpHandler } from './http.ts'
import { listenForMcp, type RunningHttpServer } from './http-listen.ts'
import type { Tenant } from './http-tenant.ts'
import { linkDelivery } from './place-links.ts'
import type { SessionOptions } from './session.ts'
import {
  sessionEventBus,
  loadServerSetup,
  openMcpContext,
  type ServerSetup,
  type ServerSetupOptions,
} from './studio.ts'

/** What `reelwright mcp --http` gives to its server. */
export interface McpHttpServerOptions
  extends
    Omit<ServerSetupOptions, 'report'>,
    Pick<SessionOptions, 'version' | 'operations' | 'confirmAbove' | 'allowUrls'> {
  /** Ways to reach the service with a caller's key. */
  readonly connectorFor: (key: string) => ServiceConnector
  /** Where clients reach the service itself, for uploads and downloads. */
  readonly serviceAddress: ResolveServiceAddress
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  readonly clock?: () => number
  readonly log: Logger
}

/** Serves MCP over streamable HTTP to 2025-era and 2026-07-28 clients, each key of the service on its own. */
export async function startMcpHttpServer(options: McpHttpServerOptions): Promise<RunningHttpServer> {
  const { log, publicUrl, clock = Date.now, host, port } = options
  const report = (error: unknown): void => log.error(error)
  const catalog = await loadServerSetup({ ...options, report })
  const place = linkDelivery(options.serviceAddress)
  const open = (key: string): Tenant =>
    openTenant(catalog, { ...options, ...options.connectorFor(key), delivery: place })
  return listenForMcp(createHttpHandler({ open, publicUrl, clock, log }), { host, port })
}

function openTenant(catalog: ServerSetup, options: SessionOptions): Tenant {
  const studio = openMcpContext(catalog, options)
  return {
    async check() {
      await studio.session.client.call(routes.listTasks, { query: { page_size: 1 } })
    },
    buildServer: (context) => buildServer(studio, context),
    notify: (mcp) => notifyOfChanges(mcp, studio, { era: 'legacy' }),
    changes: sessionEventBus(studio),
    get isBusy() {
      return studio.session.submissions.isBusy
    },
    [Symbol.asyncDispose]: () => studio[Symbol.asyncDispose](),
  }
}
