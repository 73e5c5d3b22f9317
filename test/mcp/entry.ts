import type { ToolFilter } from '../../src/mcp/tool-selection.ts'
import { beginAsMain } from '../service/begin-as-main.ts'

/** What the tests tell the server they start. */
export interface EntryOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly defaultFolder: string
  readonly allowedFolders: readonly string[]
  readonly tools?: ToolFilter
  readonly confirmAbove?: number
  readonly allowUrls?: boolean
}

// Starts the MCP server over this process's stdio against the service a test runs.
beginAsMain()
const { startMcpServer } = await import('../../src/mcp/stdio-server.ts')
const { serverOptions } = await import('./server-options.ts')
const options = JSON.parse(process.argv[2] ?? '') as EntryOptions
const report = (error: unknown) => process.stderr.write(`REPORT ${String(error)}\n`)
const server = await startMcpServer(serverOptions(options, report))
await server.closed
