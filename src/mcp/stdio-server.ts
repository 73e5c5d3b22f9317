import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { buildServer } from './build-server.ts'
import { notifyOfChanges, openMcpContext, type ServerSetup } from './mcp-context.ts'
import type { SessionOptions } from './session.ts'
import { rejectTaskListening } from './task-extension.ts'
import { workspaceDelivery } from './workspace-delivery.ts'
import type { WorkspaceOptions } from './workspace.ts'

/** Options of the server behind `reelwright mcp`. */
export interface McpServerOptions extends Omit<SessionOptions, 'delivery'>, ServerSetup {
  readonly workspace: WorkspaceOptions
  /** This process's stdin and stdout by default. */
  readonly transport?: Transport
}

/** A server of one client. */
export interface RunningMcpServer {
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves MCP over stdio to 2025-era and 2026-07-28 clients. */
export async function startMcpServer(options: McpServerOptions): Promise<RunningMcpServer> {
  const { report } = options
  const delivery = workspaceDelivery(options.workspace)
  const context = openMcpContext(options, { ...options, delivery })
  const closed = Promise.withResolvers<void>()
  const transport = new ListenObservingTransport(options.transport ?? new StdioServerTransport(), {
    listens: context.followTasks,
    closed: () => void context[Symbol.asyncDispose]().then(closed.resolve, closed.reject),
  })
  const stdio = serveStdio(
    (request) => {
      const mcp = buildServer(context, request)
      notifyOfChanges(mcp, context, request)
      return mcp
    },
    { transport, onerror: report },
  )
  return { closed: closed.promise, close: () => stdio.close() }
}

interface ListenObserver {
  /** Called when a modern client subscribes to resources. */
  listens(): void
  /** Called when the client has disconnected. */
  closed(): void
}

/**
 * Transport that forwards all messages and reports when a modern client subscribes to resources: the SDK handles
 * `subscriptions/listen` itself without a callback. Also rejects the subscriptions that the SDK would wrongly accept.
 */
export class ListenObservingTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #inner: Transport
  readonly #observer: ListenObserver

  constructor(inner: Transport, observer: ListenObserver) {
    this.#inner = inner
    this.#observer = observer
  }

  start(): Promise<void> {
    const handlers: Pick<Transport, 'onclose' | 'onerror' | 'onmessage'> = {
      onclose: () => {
        this.onclose?.()
        this.#observer.closed()
      },
      onerror: (error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage) => {
        const rejection = rejectTaskListening(message)
        if (rejection) {
          this.#inner.send(rejection).catch((error: Error) => this.onerror?.(error))
          return
        }
        if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') this.#observer.listens()
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
