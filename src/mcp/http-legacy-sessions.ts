import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { isInitializeRequest } from '@modelcontextprotocol/server'
import { sendRejection, onResponseClosed } from './http-admission.ts'
import type { Tenant } from './http-tenants.ts'

/** Sessions of one key; the one that rests longest makes room for another. */
const maxSessions = 64

/** A session on which nothing happened for so long is over, ms. */
export const sessionIdleMs = 30 * 60_000

/** JSON-RPC's code for a session that is not there, as the SDK's transport has it. */
const sessionNotFoundCode = -32_001

interface LegacySession {
  readonly transport: NodeStreamableHTTPServerTransport
  /** Requests and streams that are open. */
  activeRequests: number
  usedAt: number
  close(): Promise<void>
}

/** The sessions that 2025-era clients of one key have opened. */
export class LegacySessions {
  readonly #tenant: Tenant
  readonly #clock: () => number
  /** By id, the longest unused first. */
  readonly #sessions = new Map<string, LegacySession>()

  constructor(tenant: Tenant, clock: () => number) {
    this.#tenant = tenant
    this.#clock = clock
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Serves a request: of a session, or one that opens it. */
  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined
    if (id !== undefined && !known) {
      return sendRejection(response, {
        status: 404,
        code: sessionNotFoundCode,
        message: 'Session not found: it has ended, or is not of this key. Begin with initialize.',
      })
    }
    if (!known && !(request.method === 'POST' && isInitializeRequest(body))) {
      return sendRejection(response, {
        status: 400,
        message: 'Bad Request: Mcp-Session-Id header is required; a session begins with initialize',
      })
    }
    const session = known ?? (await this.#open())
    this.#use(session, response)
    try {
      await session.transport.handleRequest(request, response, body)
    } finally {
      // An initialize that was refused opened nothing.
      if (!known && session.transport.sessionId === undefined) await session.close()
    }
  }

  /** Ends the sessions that rest for too long. */
  async sweep(): Promise<void> {
    const before = this.#clock() - sessionIdleMs
    const resting = [...this.#sessions.values()].filter(
      ({ activeRequests: underWay, usedAt }) => underWay === 0 && usedAt <= before,
    )
    await Promise.all(resting.map((session) => session.close()))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()))
  }

  #use(session: LegacySession, response: ServerResponse): void {
    session.activeRequests += 1
    session.usedAt = this.#clock()
    onResponseClosed(response, () => {
      session.activeRequests -= 1
      session.usedAt = this.#clock()
    })
    const { sessionId } = session.transport
    if (sessionId === undefined || !this.#sessions.delete(sessionId)) return
    this.#sessions.set(sessionId, session)
  }

  async #open(): Promise<LegacySession> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.#keep(id, session),
      onsessionclosed: () => session.close(),
    })
    const mcp = this.#tenant.buildServer({ era: 'legacy' })
    const silence = this.#tenant.notify(mcp)
    const session: LegacySession = {
      transport,
      activeRequests: 0,
      usedAt: this.#clock(),
      close: async () => {
        silence()
        if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
        await mcp.close()
      },
    }
    await mcp.connect(transport)
    return session
  }

  async #keep(id: string, session: LegacySession): Promise<void> {
    if (this.#sessions.size >= maxSessions) {
      const [longest] = this.#sessions.values()
      const resting = [...this.#sessions.values()].find(({ activeRequests: underWay }) => underWay === 0)
      await (resting ?? longest)?.close()
    }
    this.#sessions.set(id, session)
  }
}
