import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import type { McpServerOptions } from '../../src/mcp/stdio-server.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import type { EntryOptions } from './entry.ts'

/** Options of an MCP server for the service of a test. */
export function serverOptions(options: EntryOptions, report: McpServerOptions['report']): McpServerOptions {
  return {
    version: '0.0.0-test',
    ...(options.tools && { tools: options.tools }),
    confirmAbove: options.confirmAbove,
    allowUrls: options.allowUrls ?? false,
    operations: [videoSplitScreen],
    connect: () => Promise.resolve(createClient(options)),
    workspace: {
      allowedFolders: options.allowedFolders,
      defaultFolder: options.defaultFolder,
      ...(options.privateFolders && { privateFolders: options.privateFolders }),
    },
    promptsFolder: join(import.meta.dirname, '../../prompts'),
    report,
    program: options.program,
  }
}
