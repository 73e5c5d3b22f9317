import type { ToolChoice } from '../../src/mcp/offer.ts'
import { startMcpServer } from '../../src/mcp/server.ts'
import { serverOptions } from './server-options.ts'

/** What the tests tell the server they start. */
export interface EntryOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly defaultFolder: string
  readonly allowedFolders: readonly string[]
  readonly tools?: ToolChoice
  readonly confirmAbove?: number
  readonly allowUrls?: boolean
}

// Starts the MCP server over this process's stdio against the service a test runs.
const options = JSON.parse(process.argv[2] ?? '') as EntryOptions
const report = (error: unknown) => process.stderr.write(`REPORT ${String(error)}\n`)
const server = await startMcpServer(serverOptions(options, report))
await server.closed
