import type { McpRequestContext, McpServer, ServerEventBus } from '@modelcontextprotocol/server'

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
