import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  Client,
  InMemoryTransport,
  type CallToolResult,
  type ClientOptions,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Operation } from '../../src/contract/operation.ts'
import { startMcpServer } from '../../src/mcp/stdio-server.ts'
import { startingQuickly } from '../own-home.ts'
import { startContractServer, type ContractServer } from './contract-server.ts'
import type { EntryOptions } from './entry.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { serverOptions } from './server-options.ts'

/** The two protocol lines a server must speak. */
export const eras = ['legacy', 'modern'] as const
export type Era = (typeof eras)[number]

/** An agent with a server of its own, a workspace, and the service behind. */
export interface Agent extends AsyncDisposable {
  readonly client: Client
  readonly service: ContractServer
  readonly workspace: string
  call(name: string, args?: Record<string, unknown>): Promise<ToolResponse>
}

/** A tool's answer taken apart. */
export interface ToolResponse {
  readonly isError: boolean
  readonly text: string
  readonly data: Record<string, unknown>
  readonly result: CallToolResult
}

/** What is not as it comes. */
interface AgentSettings extends Partial<
  Pick<EntryOptions, 'tools' | 'confirmAbove' | 'allowUrls' | 'allowedFolders'>
> {
  /** That of another agent, which ends it; left out, one of its own. */
  readonly service?: ContractServer
}

/** Starts a server as its own process, with settings of its own, and connects the SDK's client in one era. */
export function startAgent(era: Era, options?: ClientOptions, settings?: AgentSettings): Promise<Agent> {
  return connectAgent({ era, options, settings }, async (entry, told) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, 'entry.ts'), JSON.stringify(entry)],
      env: { ...startingQuickly },
      stderr: 'pipe',
    })
    // The entry reports bugs there; nothing else of it writes anything.
    transport.stderr?.on('data', (chunk: Buffer) => void told.push(chunk.toString()))
    return transport
  })
}

/** What a server in this process may have beside. */
interface InProcessAgentSettings extends AgentSettings {
  /** Those that are its tools; left out, as `serverOptions` says. */
  readonly operations?: readonly Operation[]
}

/** The same with the server in this process, where it is there at once. */
export function startInProcessAgent(
  era: Era,
  options?: ClientOptions,
  { operations, ...settings }: InProcessAgentSettings = {},
): Promise<Agent> {
  return connectAgent({ era, options, settings }, async (entry, told) => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const usual = serverOptions(entry, (error) => void told.push(error))
    await startMcpServer({ ...usual, ...(operations && { operations }), transport: far })
    return near
  })
}

interface ConnectAgentOptions {
  readonly era: Era
  readonly options?: ClientOptions | undefined
  readonly settings?: AgentSettings | undefined
}

/** `open` starts the server, and puts what it reports where it may be found. */
async function connectAgent(
  { era, options, settings: { service: given, ...settings } = {} }: ConnectAgentOptions,
  open: (entry: EntryOptions, told: unknown[]) => Promise<Transport>,
): Promise<Agent> {
  const service = given ?? (await startContractServer())
  const folder = await temporaryFolder()
  const workspace = join(folder.path, 'Reelwright')
  const { baseUrl, apiKey } = service
  const told: unknown[] = []
  const transport = await open(
    { baseUrl, apiKey, defaultFolder: workspace, allowedFolders: [], ...settings },
    told,
  )
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } })
  await client.connect(transport)
  return {
    client,
    service,
    workspace,
    call: async (name, args = {}) => parseToolResult(await client.callTool({ name, arguments: args })),
    async [Symbol.asyncDispose]() {
      await client.close()
      if (!given) await service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      if (told.length > 0) throw new Error(told.join(''))
    },
  }
}

/** Two files that pass for clips: the double does not look inside. */
export async function createClips(agent: Agent): Promise<{ clips: { file_id: string }[] }> {
  await mkdir(agent.workspace, { recursive: true })
  await writeFile(join(agent.workspace, 'left.mp4'), 'left clip')
  await writeFile(join(agent.workspace, 'right.mp4'), 'right clip')
  return { clips: [{ file_id: join(agent.workspace, 'left.mp4') }, { file_id: 'right.mp4' }] }
}

/** Takes a tool's answer apart. */
export function parseToolResult(result: CallToolResult): ToolResponse {
  const [first] = result.content
  return {
    isError: result.isError === true,
    text: first?.type === 'text' ? first.text : '',
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
    result,
  }
}
