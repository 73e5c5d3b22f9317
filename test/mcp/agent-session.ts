import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { isAlive } from '../daemon/daemon-fixtures.ts'
import { fastStartEnvironment } from '../fast-start.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { parseToolResult, type ToolResponse, type Era } from './stdio-client.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

/** A transport with one process: for its own class, but not for a subclass, the SDK starts a second server to find the version. */
class SingleProcessTransport extends StdioClientTransport {}

/** A data folder and a workspace for real servers. Disposal stops their daemon. */
export interface AgentSession extends AsyncDisposable {
  readonly workspace: string
  readonly dataDir: string
  /** Starts the server and connects a client. Uses the local service unless the environment names another. */
  connect(era: Era, environment?: Readonly<Record<string, string>>): Promise<ConnectedAgent>
  /** Returns the agent of an era that all callers share, connected on first use and closed with the session. */
  shared(era: Era): Promise<ConnectedAgent>
  /** Creates a clip in the workspace from a lavfi video source. */
  createClip(source: string, name: string, seconds: number): Promise<void>
}

export interface ConnectedAgent extends AsyncDisposable {
  readonly client: Client
  call(name: string, args?: Record<string, unknown>): Promise<ToolResponse>
}

/** Starts a session with new folders. */
export async function startAgentSession(): Promise<AgentSession> {
  const folder = await temporaryFolder()
  const workspace = join(folder.path, 'work')
  const dataDir = join(folder.path, 'data')
  await mkdir(workspace)
  const connect: AgentSession['connect'] = async (era, environment = {}) => {
    const transport = new SingleProcessTransport({
      command: process.execPath,
      args: [main, 'mcp', '--data-dir', dataDir, '--allow-dir', workspace],
      env: { ...fastStartEnvironment, ...environment },
      stderr: 'inherit',
    })
    const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(transport)
    return {
      client,
      call: async (name, args = {}) => parseToolResult(await client.callTool({ name, arguments: args })),
      [Symbol.asyncDispose]: () => client.close(),
    }
  }
  const sharedAgents = new Map<Era, Promise<ConnectedAgent>>()
  return {
    workspace,
    dataDir,
    connect,
    shared(era) {
      const agent = sharedAgents.get(era) ?? connect(era)
      sharedAgents.set(era, agent)
      return agent
    },
    async createClip(source, name, seconds) {
      await ffmpeg(
        ...['-f', 'lavfi', '-i', `${source}:d=${seconds}`],
        ...['-f', 'lavfi', '-i', `sine=440:d=${seconds}`],
        ...['-pix_fmt', 'yuv420p', '-preset', 'ultrafast', join(workspace, name)],
      )
    },
    async [Symbol.asyncDispose]() {
      for (const agent of sharedAgents.values()) await (await agent)[Symbol.asyncDispose]()
      await stopDaemon(dataDir, 'SIGTERM')
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Credits of the account of an agent, as its service reports them. */
export async function balance(agent: ConnectedAgent): Promise<number> {
  const { data, text } = await agent.call('service_status')
  const { service } = data as { readonly service?: { readonly credits?: { readonly balance?: unknown } } }
  const credits = service?.credits?.balance
  if (typeof credits !== 'number') throw new Error(`the status has no balance: ${text}`)
  return credits
}

/** Stops the daemon of a data folder by its recorded pid and waits until it has exited. */
export async function stopDaemon(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  const daemon = await readDaemonRecord(dataDir)
  if (!daemon || !(await isAlive(daemon.pid))) return
  process.kill(daemon.pid, signal)
  while (await isAlive(daemon.pid)) await new Promise((resolve) => setTimeout(resolve, 10))
}
