import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { requestDaemonExit } from '../../src/daemon/probe.ts'
import { recordedProcess, readDaemonRecord } from '../../src/daemon/record.ts'
import { identifyProcess } from '../../src/platform/process-identity.ts'

/** Command that starts a server. */
export interface Start {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Starts an MCP server and connects to it. Its environment is `env` and the client's minimal defaults. */
export async function connectBy({ command, args, env }: Start): Promise<Client> {
  const client = new Client({ name: 'reelwright-test', version: '1.0.0' })
  const environment = { ...getDefaultEnvironment(), ...env }
  await client.connect(new StdioClientTransport({ command, args: [...args], env: environment }))
  return client
}

/** Starts an installed program's MCP server for a workspace, with its own data folder, and connects to it. */
export function connectTo(program: string, workspace: string, dataDir: string): Promise<Client> {
  return connectBy({
    command: process.execPath,
    args: [program, 'mcp', '--data-dir', dataDir],
    env: { REELWRIGHT_WORKSPACE: workspace },
  })
}

/** Stops the service of a data folder and waits until its process has exited. */
export async function endService(dataDir: string): Promise<void> {
  const record = await readDaemonRecord(dataDir)
  if (!record) return
  await requestDaemonExit(record)
  const { pid, startTime } = recordedProcess(record)
  const deadline = AbortSignal.timeout(20_000)
  while ((await identifyProcess(pid))?.startTime === startTime) {
    deadline.throwIfAborted()
    await delay(20)
  }
}
