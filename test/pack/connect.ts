import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { askToExit } from '../../src/daemon/ask.ts'
import { processOf, readDaemon } from '../../src/daemon/record.ts'
import { identify } from '../../src/platform/process-identity.ts'

/** Starts an installed program's MCP server on a data folder and connects to it. */
export async function connectTo(program: string, dataDir: string): Promise<Client> {
  const client = new Client({ name: 'reelwright-test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--data-dir', dataDir],
      env: { ...getDefaultEnvironment(), REELWRIGHT_WORKSPACE: dataDir },
    }),
  )
  return client
}

/** Ends a data folder's service and waits until its process is gone. */
export async function endService(dataDir: string): Promise<void> {
  const record = await readDaemon(dataDir)
  if (!record) return
  await askToExit(record)
  const { pid, startTime } = processOf(record)
  const deadline = AbortSignal.timeout(20_000)
  while ((await identify(pid))?.startTime === startTime) {
    deadline.throwIfAborted()
    await pause(20)
  }
}
