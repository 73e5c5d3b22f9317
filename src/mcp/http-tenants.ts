import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  type McpRequestContext,
  type McpServer,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { withTimeout } from '../platform/concurrency.ts'
import { callTimeoutError } from './call-limits.ts'
import { LegacySessions, sessionIdleMs } from './http-legacy-sessions.ts'

/** API keys served at the same time. */
const maxTenants = 256

/** Subscription streams that the clients of one key may have open. */
const maxListenStreams = 128

/** Time after which an accepted key is checked again, ms. */
const keyRecheckMs = 60_000

/** Time limit of such a check, ms. */
const keyCheckTimeoutMs = 10_000

/** The request handlers of an accepted key. */
interface ActiveTenant {
  /** Handles requests of 2026-07-28 clients. */
  readonly modern: NodeMcpRequestHandler
  readonly legacy: LegacySessions
  /** Requests in progress. */
  activeRequests: number
}

interface TenantEntry extends ActiveTenant {
  readonly tenant: Tenant
  readonly close: () => Promise<void>
  checkedAt: number
  usedAt: number
}

interface TenantRegistryOptions {
  readonly open: (key: string) => Tenant
  readonly clock: () => number
  readonly report: (error: Error) => void
}

/** State of the API keys in use, isolated from each other. */
export class TenantRegistry {
  readonly #options: TenantRegistryOptions
  /** By key, least recently used first. */
  readonly #tenants = new Map<string, TenantEntry>()
  readonly #admitting = new Map<string, Promise<TenantEntry>>()

  constructor(options: TenantRegistryOptions) {
    this.#options = options
  }

  /**
   * Returns the tenant of a key and counts a request in progress for it. Throws 6502 if the service rejects the key,
   * and 6402 if too many keys are in use or the service does not respond.
   */
  async admit(key: string): Promise<ActiveTenant> {
    const admission = this.#admitting.get(key) ?? this.#admit(key).finally(() => this.#admitting.delete(key))
    this.#admitting.set(key, admission)
    const tenantEntry = await admission
    tenantEntry.activeRequests += 1
    return tenantEntry
  }

  /**
   * Removes sessions and keys that have been idle for too long. Checks the keys of those in use, and ends the sessions
   * and streams of those that the service rejects.
   */
  async sweep(): Promise<void> {
    await Promise.all([...this.#tenants].map((each) => this.#recheck(...each)))
    await Promise.all([...this.#tenants.values()].map(({ legacy }) => legacy.sweep()))
    const before = this.#options.clock() - sessionIdleMs
    const idle = [...this.#tenants].filter((each) => this.#isIdle(each) && each[1].usedAt <= before)
    await Promise.all(idle.map(([key]) => this.#remove(key)))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#tenants.keys()].map((key) => this.#remove(key)))
  }

  async #admit(key: string): Promise<TenantEntry> {
    const tenantEntry = this.#tenants.get(key) ?? this.#create(key)
    try {
      await this.#check(tenantEntry)
      if (!this.#tenants.delete(key)) await this.#evictIdle()
    } catch (error) {
      const isRefused = error instanceof MediaError && error.code === 6502
      if (!this.#tenants.has(key)) await tenantEntry.close()
      else if (isRefused) await this.#remove(key)
      throw error
    }
    tenantEntry.usedAt = this.#options.clock()
    this.#tenants.set(key, tenantEntry)
    return tenantEntry
  }

  /** Ends a tenant with sessions or streams whose key is no longer valid; not when the key cannot be checked. */
  async #recheck(key: string, tenantEntry: TenantEntry): Promise<void> {
    // The next request of other tenants checks their key.
    if (tenantEntry.activeRequests === 0 && tenantEntry.legacy.size === 0) return
    try {
      await this.#check(tenantEntry)
    } catch (error) {
      const isRefused = error instanceof MediaError && error.code === 6502
      if (isRefused && this.#tenants.get(key) === tenantEntry) await this.#remove(key)
    }
  }

  async #check(tenantEntry: TenantEntry): Promise<void> {
    const { clock } = this.#options
    if (clock() - tenantEntry.checkedAt <= keyRecheckMs) return
    await withTimeout(tenantEntry.tenant.check(), keyCheckTimeoutMs, callTimeoutError)
    tenantEntry.checkedAt = clock()
  }

  #create(key: string): TenantEntry {
    const { open, clock, report } = this.#options
    const tenant = open(key)
    const handler = createMcpHandler((context) => tenant.buildServer(context), {
      legacy: 'reject',
      bus: tenant.changes,
      maxSubscriptions: maxListenStreams,
      onerror: report,
    })
    const legacy = new LegacySessions(tenant, clock)
    return {
      tenant,
      modern: toNodeHandler(handler, { onerror: report }),
      legacy,
      activeRequests: 0,
      checkedAt: -Infinity,
      usedAt: clock(),
      async close() {
        await handler.close()
        await legacy.close()
        await tenant[Symbol.asyncDispose]()
      },
    }
  }

  async #evictIdle(): Promise<void> {
    if (this.#tenants.size < maxTenants) return
    const idle = [...this.#tenants].find((each) => this.#isIdle(each))
    if (!idle) throw new MediaError(6402, 'Too many API keys are in use', { hint: 'Try again later.' })
    await this.#remove(idle[0])
  }

  async #remove(key: string): Promise<void> {
    const tenantEntry = this.#tenants.get(key)
    this.#tenants.delete(key)
    await tenantEntry?.close()
  }

  /** A tenant whose key is being checked has a request that is not counted yet. */
  #isIdle([key, { activeRequests, legacy, tenant }]: readonly [string, TenantEntry]): boolean {
    return activeRequests === 0 && legacy.size === 0 && !tenant.isBusy && !this.#admitting.has(key)
  }
}

/** State and servers of the clients of one API key. */
export interface Tenant extends AsyncDisposable {
  /** Throws 6502 if the key is not valid. */
  check(): Promise<void>
  /** Builds a server for a session of a 2025-era client, or for one request of a newer client. */
  buildServer(context: Pick<McpRequestContext, 'era'>): McpServer
  /** Notifies the client of a session of changes until the returned function is called. */
  notify(mcp: McpServer): () => void
  /** Changes, for the subscription streams of newer clients. */
  readonly changes: ServerEventBus
  /** Whether a background job is running. */
  readonly isBusy: boolean
}
