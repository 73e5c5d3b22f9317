import type { LocalProgram } from '../../src/mcp/runnable-commands.ts'
import type { WorkspaceOptions } from '../../src/mcp/workspace.ts'
import type { ToolFilter } from '../../src/mcp/tool-selection.ts'
import { initializeProcess } from '../service/initialize-process.ts'

/** Options of the server process that a test starts. */
export interface EntryOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly defaultFolder: string
  readonly allowedFolders: readonly string[]
  readonly tools?: ToolFilter
  readonly confirmAbove?: number
  readonly allowUrls?: boolean
  readonly program?: LocalProgram
  readonly privateFolders?: WorkspaceOptions['privateFolders']
}

// Starts the MCP server over stdio, connected to the service of a test.
initializeProcess()
const { startMcpServer } = await import('../../src/mcp/stdio-server.ts')
const { serverOptions } = await import('./server-options.ts')
const options = JSON.parse(process.argv[2] ?? '') as EntryOptions
const report = (error: unknown) => process.stderr.write(`REPORT ${String(error)}\n`)
const server = await startMcpServer(serverOptions(options, report))
await server.closed
