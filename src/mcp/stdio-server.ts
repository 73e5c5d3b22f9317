import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { buildServer } from './build-server.ts'
import { loadServerSetup, notifyOfChanges, openMcpContext, type ServerSetupOptions } from './mcp-context.ts'
import type { SessionOptions } from './session.ts'
import { rejectTaskListening } from './task-extension.ts'
import { workspaceDelivery } from './workspace-delivery.ts'
import type { WorkspaceOptions } from './workspace.ts'

/** What `reelwright mcp` gives to its server. */
export interface McpServerOptions extends Omit<SessionOptions, 'delivery'>, ServerSetupOptions {
  readonly workspace: WorkspaceOptions
  /** Left out, this process's stdin and stdout. */
  readonly transport?: Transport
}

/** A server that speaks with one client. */
export interface RunningMcpServer {
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves MCP over stdio to 2025-era and 2026-07-28 clients. */
export async function startMcpServer(options: McpServerOptions): Promise<RunningMcpServer> {
  const { report } = options
  const place = workspaceDelivery(options.workspace)
  const studio = openMcpContext(await loadServerSetup(options), { ...options, delivery: place })
  const closed = Promise.withResolvers<void>()
  const transport = new ListenObservingTransport(options.transport ?? new StdioServerTransport(), {
    listens: studio.followTasks,
    closed: () => void studio[Symbol.asyncDispose]().then(closed.resolve, closed.reject),
  })
  const stdio = serveStdio(
    (context) => {
      const mcp = buildServer(studio, context)
      notifyOfChanges(mcp, studio, context)
      return mcp
    },
    { transport, onerror: report },
  )
  return { closed: closed.promise, close: () => stdio.close() }
}

interface ListenObserver {
  /** A modern client subscribes to something. */
  listens(): void
  /** The client has gone. */
  closed(): void
}

/**
 * Passes everything through and tells when a modern client subscribes to resources: the SDK answers
 * `subscriptions/listen` by itself and does not say which resources are wanted. What it does not know to
 * refuse is refused here.
 */
export class ListenObservingTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #inner: Transport
  readonly #notice: ListenObserver

  constructor(inner: Transport, notice: ListenObserver) {
    this.#inner = inner
    this.#notice = notice
  }

  start(): Promise<void> {
    const handlers: Pick<Transport, 'onclose' | 'onerror' | 'onmessage'> = {
      onclose: () => {
        this.onclose?.()
        this.#notice.closed()
      },
      onerror: (error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage) => {
        const refused = rejectTaskListening(message)
        if (refused) {
          this.#inner.send(refused).catch((error: Error) => this.onerror?.(error))
          return
        }
        if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') this.#notice.listens()
        this.onmessage?.(message)
      },
    }
    Object.assign(this.#inner, handlers)
    return this.#inner.start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}
