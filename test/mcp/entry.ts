import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import type { ToolChoice } from '../../src/mcp/offer.ts'
import { startMcpServer } from '../../src/mcp/server.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'

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
const server = await startMcpServer({
  version: '0.0.0-test',
  ...(options.tools && { tools: options.tools }),
  confirmAbove: options.confirmAbove,
  allowUrls: options.allowUrls ?? false,
  operations: [videoSplitScreen],
  connect: () => Promise.resolve(createClient(options)),
  workspace: { allowedFolders: options.allowedFolders, defaultFolder: options.defaultFolder },
  promptsFolder: join(import.meta.dirname, '../../prompts'),
  report: (error) => process.stderr.write(`REPORT ${String(error)}\n`),
})
await server.closed
