import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { notifyOfChanges } from './announce.ts'
import { buildServer } from './build-server.ts'
import { ListenObservingTransport } from './listening-transport.ts'
import { workspaceDelivery } from './place-workspace.ts'
import type { SessionOptions } from './session.ts'
import { loadServerSetup, openMcpContext, type ServerSetupOptions } from './studio.ts'
import type { WorkspaceOptions } from './workspace.ts'

/** What `reelwright mcp` gives to its server. */
export interface McpServerOptions extends Omit<SessionOptions, 'place'>, ServerSetupOptions {
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
