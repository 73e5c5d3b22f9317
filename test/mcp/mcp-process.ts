import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { fastStartEnvironment } from '../fast-start.ts'
import type { EntryOptions } from './entry.ts'
import { parseToolResult } from './stdio-client.ts'

/** An MCP server in its own process, used to upload files and to be killed. */
export interface McpProcess {
  readonly pid: number
  /** Uploads a file of the workspace and waits for the end. Throws if the tool returns an error. */
  upload(path: string, onProgress?: (percent: number) => void): Promise<Record<string, unknown>>
  /** Kills the process (SIGKILL). */
  kill(): Promise<void>
  close(): Promise<void>
}

/** Starts the process for one workspace, connected to a service. */
export async function startMcpProcess(
  service: { baseUrl: string; apiKey: string },
  workspace: string,
): Promise<McpProcess> {
  const { baseUrl, apiKey } = service
  const entry: EntryOptions = { baseUrl, apiKey, defaultFolder: workspace, allowedFolders: [workspace] }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, 'entry.ts'), JSON.stringify(entry)],
    env: { ...fastStartEnvironment },
    stderr: 'inherit',
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(transport)
  const { pid } = transport
  if (pid === null) throw new Error('the MCP server did not start')
  return {
    pid,
    async upload(path, onProgress) {
      const options = onProgress && {
        onprogress: ({ progress }: { progress: number }) => onProgress(progress),
      }
      let request = { name: 'upload_file', arguments: { path } as Record<string, unknown> }
      for (;;) {
        const { isError, text, data } = parseToolResult(await client.callTool(request, options))
        if (isError) throw new Error(text)
        if (data['status'] !== 'uploading') return data
        const { transfer_id } = data
        request = { name: 'get_task', arguments: { transfer_id, wait_seconds: 40 } }
      }
    },
    async kill() {
      process.kill(pid, 'SIGKILL')
      await client.close()
    },
    close: () => client.close(),
  }
}
