import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  type McpRequestContext,
  type McpServer,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { withTimeout } from '../platform/concurrency.ts'
import { timeoutError } from './call-limits.ts'
import { LegacySessions, sessionIdleMs } from './http-legacy-sessions.ts'

/** Keys served at a time. */
const maxTenants = 256

/** Streams on which clients of one key listen at a time. */
const maxListenStreams = 128

/** How long a key counts as valid once the service took it, ms. */
const recheckMs = 60_000

/** How long the service may take to say so, ms. */
const keyCheckTimeoutMs = 10_000

/** A key that was taken, with all that is known for its clients alone. */
interface ActiveTenant {
  /** Serves requests of 2026-07-28 clients. */
  readonly modern: NodeMcpRequestHandler
  readonly legacy: LegacySessions
  /** Requests that are served. */
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

/** The keys that call, each on its own: none learns anything of another's. */
export class TenantRegistry {
  readonly #options: TenantRegistryOptions
  /** By key, the longest unused first. */
  readonly #kept = new Map<string, TenantEntry>()
  readonly #entering = new Map<string, Promise<TenantEntry>>()

  constructor(options: TenantRegistryOptions) {
    this.#options = options
  }

  /** Admits a key that the service takes, and counts a request that is under way for it. Throws 6502 for one it does not take, and 6402 where too many others call or the service does not say. */
  async admit(key: string): Promise<ActiveTenant> {
    const entering = this.#entering.get(key) ?? this.#enter(key).finally(() => this.#entering.delete(key))
    this.#entering.set(key, entering)
    const caller = await entering
    caller.activeRequests += 1
    return caller
  }

  /** Forgets sessions and keys that rest for too long. */
  async sweep(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ legacy }) => legacy.sweep()))
    const before = this.#options.clock() - sessionIdleMs
    const resting = [...this.#kept].filter((each) => this.#isResting(each) && each[1].usedAt <= before)
    await Promise.all(resting.map(([key]) => this.#forget(key)))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((key) => this.#forget(key)))
  }

  async #enter(key: string): Promise<TenantEntry> {
    const caller = this.#kept.get(key) ?? this.#make(key)
    try {
      await this.#check(caller)
      if (!this.#kept.delete(key)) await this.#makeRoom()
    } catch (error) {
      const isRefused = error instanceof MediaError && error.code === 6502
      if (!this.#kept.has(key)) await caller.close()
      else if (isRefused) await this.#forget(key)
      throw error
    }
    caller.usedAt = this.#options.clock()
    this.#kept.set(key, caller)
    return caller
  }

  async #check(caller: TenantEntry): Promise<void> {
    const { clock } = this.#options
    if (clock() - caller.checkedAt <= recheckMs) return
    await withTimeout(caller.tenant.check(), keyCheckTimeoutMs, timeoutError)
    caller.checkedAt = clock()
  }

  #make(key: string): TenantEntry {
    const { open, clock, report } = this.#options
    const tenant = open(key)
    const handler = createMcpHandler((context) => tenant.buildServer(context), {
      legacy: 'reject',
      bus: tenant.changes,
      maxSubscriptions: maxListenStreams,
      maxRequestBodySize: maxBodyBytes,
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

  async #makeRoom(): Promise<void> {
    if (this.#kept.size < maxTenants) return
    const resting = [...this.#kept].find((each) => this.#isResting(each))
    if (!resting) throw new MediaError(6402, 'Too many keys are at work here', { hint: 'Try again later.' })
    await this.#forget(resting[0])
  }

  async #forget(key: string): Promise<void> {
    const caller = this.#kept.get(key)
    this.#kept.delete(key)
    await caller?.close()
  }

  /** One whose key is being checked has a request that is not counted yet. */
  #isResting([key, { activeRequests: underWay, legacy, tenant }]: readonly [string, TenantEntry]): boolean {
    return underWay === 0 && legacy.size === 0 && !tenant.isBusy && !this.#entering.has(key)
  }
}

/** What serves the clients of one key. */
export interface Tenant extends AsyncDisposable {
  /** Throws 6502 where the key is not, or no longer, valid. */
  check(): Promise<void>
  /** Builds a server for a session of an older client, or one request of a newer one. */
  buildServer(context: Pick<McpRequestContext, 'era'>): McpServer
  /** Tells the client of a session what changes, until the returned function is called. */
  notify(mcp: McpServer): () => void
  /** What changes, for the streams on which newer clients listen. */
  readonly changes: ServerEventBus
  /** Whether something that a call began goes on without it. */
  readonly isBusy: boolean
}
