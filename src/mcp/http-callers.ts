import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { inTime } from './in-time.ts'
import { LegacySessions, sessionIdleMs } from './http-legacy.ts'
import type { Tenant } from './http-tenant.ts'

/** Keys served at a time. */
const maxCallers = 256

/** Streams on which clients of one key listen at a time. */
const maxListening = 128

/** How long a key counts as valid once the service took it, ms. */
const recheckMs = 60_000

/** How long the service may take to say so, ms. */
const checkMs = 10_000

/** A key that was taken, with all that is known for its clients alone. */
export interface Caller {
  /** Serves requests of 2026-07-28 clients. */
  readonly modern: NodeMcpRequestHandler
  readonly legacy: LegacySessions
  /** Requests that are served. */
  underWay: number
}

interface Kept extends Caller {
  readonly tenant: Tenant
  readonly close: () => Promise<void>
  checkedAt: number
  usedAt: number
}

interface CallersOptions {
  readonly open: (key: string) => Tenant
  readonly clock: () => number
  readonly report: (error: Error) => void
}

/** The keys that call, each on its own: none learns anything of another's. */
export class Callers {
  readonly #options: CallersOptions
  /** By key, the longest unused first. */
  readonly #kept = new Map<string, Kept>()
  readonly #entering = new Map<string, Promise<Kept>>()

  constructor(options: CallersOptions) {
    this.#options = options
  }

  /** Admits a key that the service takes, and counts a request that is under way for it. Throws 6502 for one it does not take, and 6402 where too many others call or the service does not say. */
  async enter(key: string): Promise<Caller> {
    const entering = this.#entering.get(key) ?? this.#enter(key).finally(() => this.#entering.delete(key))
    this.#entering.set(key, entering)
    const caller = await entering
    caller.underWay += 1
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

  async #enter(key: string): Promise<Kept> {
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

  async #check(caller: Kept): Promise<void> {
    const { clock } = this.#options
    if (clock() - caller.checkedAt <= recheckMs) return
    await inTime(caller.tenant.check(), checkMs)
    caller.checkedAt = clock()
  }

  #make(key: string): Kept {
    const { open, clock, report } = this.#options
    const tenant = open(key)
    const handler = createMcpHandler((context) => tenant.build(context), {
      legacy: 'reject',
      bus: tenant.changes,
      maxSubscriptions: maxListening,
      maxRequestBodySize: maxBodyBytes,
      onerror: report,
    })
    const legacy = new LegacySessions(tenant, clock)
    return {
      tenant,
      modern: toNodeHandler(handler, { onerror: report }),
      legacy,
      underWay: 0,
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
    if (this.#kept.size < maxCallers) return
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
  #isResting([key, { underWay, legacy, tenant }]: readonly [string, Kept]): boolean {
    return underWay === 0 && legacy.size === 0 && !tenant.isAtWork && !this.#entering.has(key)
  }
}
