import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { isInitializeRequest } from '@modelcontextprotocol/server'
import { onResponseClosed } from '../platform/response-closed.ts'
import { sendRejection } from './http-admission.ts'
import type { Tenant } from './http-tenants.ts'

/** Sessions of one key. A further one replaces the one that has been idle longest. */
const maxSessions = 64

/** Time after which an idle session ends, ms. */
export const sessionIdleMs = 30 * 60_000

/** JSON-RPC error code for an unknown session; the SDK's transport uses the same. */
const sessionNotFoundCode = -32_001

interface LegacySession {
  readonly transport: NodeStreamableHTTPServerTransport
  /** Open requests and streams. */
  activeRequests: number
  usedAt: number
  close(): Promise<void>
}

/** Sessions of the 2025-era clients of one API key. */
export class LegacySessions {
  readonly #tenant: Tenant
  readonly #clock: () => number
  /** By id, least recently used first. */
  readonly #sessions = new Map<string, LegacySession>()

  constructor(tenant: Tenant, clock: () => number) {
    this.#tenant = tenant
    this.#clock = clock
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Handles a request of a session, or one that opens a session. */
  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined
    if (id !== undefined && !known) {
      return sendRejection(response, {
        status: 404,
        code: sessionNotFoundCode,
        message: 'Session not found: it has ended, or belongs to another key. Start with initialize.',
      })
    }
    if (!known && !(request.method === 'POST' && isInitializeRequest(body))) {
      return sendRejection(response, {
        status: 400,
        message: 'Bad Request: Mcp-Session-Id header is required; a session starts with initialize',
      })
    }
    const session = known ?? (await this.#open())
    this.#use(session, response)
    try {
      await session.transport.handleRequest(request, response, body)
    } finally {
      // A rejected initialize request has not opened a session.
      if (!known && session.transport.sessionId === undefined) await session.close()
    }
  }

  /** Closes sessions that have been idle for too long. */
  async sweep(): Promise<void> {
    const before = this.#clock() - sessionIdleMs
    const idle = [...this.#sessions.values()].filter(
      ({ activeRequests, usedAt }) => activeRequests === 0 && usedAt <= before,
    )
    await Promise.all(idle.map((session) => session.close()))
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
    const stopNotifying = this.#tenant.notify(mcp)
    const session: LegacySession = {
      transport,
      activeRequests: 0,
      usedAt: this.#clock(),
      close: async () => {
        stopNotifying()
        if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
        await mcp.close()
      },
    }
    await mcp.connect(transport)
    return session
  }

  async #keep(id: string, session: LegacySession): Promise<void> {
    if (this.#sessions.size >= maxSessions) {
      const [oldest] = this.#sessions.values()
      const idle = [...this.#sessions.values()].find(({ activeRequests }) => activeRequests === 0)
      await (idle ?? oldest)?.close()
    }
    this.#sessions.set(id, session)
  }
}
