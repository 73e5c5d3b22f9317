import type { Logger } from 'pino'
import { routes } from '../contract/routes.ts'
import { announceChanges } from './announce.ts'
import { buildServer } from './build-server.ts'
import type { Door } from './connection.ts'
import type { PublicAddress } from './file-links.ts'
import { httpEntry } from './http.ts'
import { listenHttp, type ListeningEntry } from './http-listen.ts'
import type { Tenant } from './http-tenant.ts'
import { linksPlace } from './place-links.ts'
import type { SessionOptions } from './session.ts'
import { changesOf, openCatalog, openStudio, type Catalog, type CatalogOptions } from './studio.ts'

/** What `reelwright mcp --http` gives to its server. */
export interface McpHttpOptions
  extends
    Omit<CatalogOptions, 'report'>,
    Pick<SessionOptions, 'version' | 'operations' | 'confirmAbove' | 'allowUrls'> {
  /** Ways to reach the service with a caller's key. */
  readonly doorFor: (key: string) => Door
  /** Where clients reach the service itself, for uploads and downloads. */
  readonly serviceAddress: PublicAddress
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  readonly clock?: () => number
  readonly log: Logger
}

/** Serves MCP over streamable HTTP to 2025-era and 2026-07-28 clients, each key of the service on its own. */
export async function startMcpHttpServer(options: McpHttpOptions): Promise<ListeningEntry> {
  const { log, publicUrl, clock = Date.now, host, port } = options
  const report = (error: unknown): void => log.error(error)
  const catalog = await openCatalog({ ...options, report })
  const place = linksPlace(options.serviceAddress)
  const open = (key: string): Tenant => tenantOf(catalog, { ...options, ...options.doorFor(key), place })
  return listenHttp(httpEntry({ open, publicUrl, clock, log }), { host, port })
}

function tenantOf(catalog: Catalog, options: SessionOptions): Tenant {
  const studio = openStudio(catalog, options)
  return {
    async check() {
      await studio.session.client.call(routes.listTasks, { query: { page_size: 1 } })
    },
    build: (context) => buildServer(studio, context),
    announce: (mcp) => announceChanges(mcp, studio, { era: 'legacy' }),
    changes: changesOf(studio),
    get isAtWork() {
      return studio.session.uploads.isAtWork
    },
    [Symbol.asyncDispose]: () => studio[Symbol.asyncDispose](),
  }
}
