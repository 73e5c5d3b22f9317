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
import { fastStartEnvironment } from '../fast-start.ts'
import { startContractServer, type ContractServer } from './contract-server.ts'
import type { EntryOptions } from './entry.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { serverOptions } from './server-options.ts'

/** The two protocol generations that a server supports. */
export const eras = ['legacy', 'modern'] as const
export type Era = (typeof eras)[number]

/** An agent with its own server, a workspace, and the service. */
export interface Agent extends AsyncDisposable {
  readonly client: Client
  readonly service: ContractServer
  readonly workspace: string
  call(name: string, args?: Record<string, unknown>): Promise<ToolResponse>
}

/** A parsed tool result. */
export interface ToolResponse {
  readonly isError: boolean
  readonly text: string
  readonly data: Record<string, unknown>
  readonly result: CallToolResult
}

/** Settings that differ from the defaults. */
interface AgentSettings extends Partial<
  Pick<
    EntryOptions,
    'tools' | 'confirmAbove' | 'allowUrls' | 'defaultFolder' | 'allowedFolders' | 'program' | 'privateFolders'
  >
> {
  /** Service of another agent, which also stops it. Default: a new one. */
  readonly service?: ContractServer
}

/** Starts a server in its own process and connects the SDK's client in one era. */
export function startAgent(era: Era, options?: ClientOptions, settings?: AgentSettings): Promise<Agent> {
  return connectAgent({ era, options, settings }, async (entry, reports) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, 'entry.ts'), JSON.stringify(entry)],
      env: { ...fastStartEnvironment },
      stderr: 'pipe',
    })
    // The entry reports bugs on stderr and writes nothing else to it.
    transport.stderr?.on('data', (chunk: Buffer) => void reports.push(chunk.toString()))
    return transport
  })
}

/** Settings of a server in this process. */
interface InProcessAgentSettings extends AgentSettings {
  /** Operations offered as tools. Default: those of `serverOptions`. */
  readonly operations?: readonly Operation[]
}

/** Like `startAgent`, but with the server in this process, which starts faster. */
export function startInProcessAgent(
  era: Era,
  options?: ClientOptions,
  { operations, ...settings }: InProcessAgentSettings = {},
): Promise<Agent> {
  return connectAgent({ era, options, settings }, async (entry, reports) => {
    const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair()
    const defaultOptions = serverOptions(entry, (error) => void reports.push(error))
    await startMcpServer({ ...defaultOptions, ...(operations && { operations }), transport: serverTransport })
    return clientTransport
  })
}

interface ConnectAgentOptions {
  readonly era: Era
  readonly options?: ClientOptions | undefined
  readonly settings?: AgentSettings | undefined
}

/** Connects a client. `open` starts the server and appends its error reports to `reports`. */
async function connectAgent(
  { era, options, settings: { service: sharedService, ...settings } = {} }: ConnectAgentOptions,
  open: (entry: EntryOptions, reports: unknown[]) => Promise<Transport>,
): Promise<Agent> {
  const service = sharedService ?? (await startContractServer())
  const folder = await temporaryFolder()
  const workspace = join(folder.path, 'Reelwright')
  const { baseUrl, apiKey } = service
  const reports: unknown[] = []
  const transport = await open(
    { baseUrl, apiKey, defaultFolder: workspace, allowedFolders: [], ...settings },
    reports,
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
      if (!sharedService) await service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      if (reports.length > 0) throw new Error(reports.join(''))
    },
  }
}

/** Creates two files named like clips. The test double does not read their content. */
export async function createClips(agent: Agent): Promise<{ clips: { file_id: string }[] }> {
  await mkdir(agent.workspace, { recursive: true })
  await writeFile(join(agent.workspace, 'left.mp4'), 'left clip')
  await writeFile(join(agent.workspace, 'right.mp4'), 'right clip')
  return { clips: [{ file_id: join(agent.workspace, 'left.mp4') }, { file_id: 'right.mp4' }] }
}

/** Splits a tool result into its error flag, text and data. */
export function parseToolResult(result: CallToolResult): ToolResponse {
  const [first] = result.content
  return {
    isError: result.isError === true,
    text: first?.type === 'text' ? first.text : '',
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
    result,
  }
}
