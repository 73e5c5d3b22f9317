import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, type CallToolResult, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startContractServer, type ContractServer } from './contract-server.ts'
import type { EntryOptions } from './entry.ts'
import { scratchFolder } from './scratch.ts'

/** The two protocol lines a server must speak. */
export const eras = ['legacy', 'modern'] as const
export type Era = (typeof eras)[number]

/** An agent with a server of its own over real stdio, a workspace, and the service behind. */
export interface Agent extends AsyncDisposable {
  readonly client: Client
  readonly service: ContractServer
  readonly workspace: string
  call(name: string, args?: Record<string, unknown>): Promise<Answer>
}

/** A tool's answer taken apart. */
export interface Answer {
  readonly isError: boolean
  readonly text: string
  readonly data: Record<string, unknown>
  readonly result: CallToolResult
}

/** What is not as it comes. */
interface AgentSettings extends Pick<EntryOptions, 'tools' | 'confirmAbove' | 'allowUrls'> {
  /** That of another agent, which ends it; left out, one of its own. */
  readonly service?: ContractServer
}

/** Starts a server as its own process, with settings of its own, and connects the SDK's client in one era. */
export async function startAgent(
  era: Era,
  options: ClientOptions = {},
  { service: given, ...settings }: AgentSettings = {},
): Promise<Agent> {
  const service = given ?? (await startContractServer())
  const folder = await scratchFolder()
  const workspace = join(folder.path, 'Reelwright')
  const { baseUrl, apiKey } = service
  const entry: EntryOptions = { baseUrl, apiKey, defaultFolder: workspace, allowedFolders: [], ...settings }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, 'entry.ts'), JSON.stringify(entry)],
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (chunk: Buffer) => void (stderr += chunk.toString()))
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } })
  await client.connect(transport)
  return {
    client,
    service,
    workspace,
    call: async (name, args = {}) => takeApart(await client.callTool({ name, arguments: args })),
    async [Symbol.asyncDispose]() {
      await client.close()
      if (!given) await service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      // The entry reports bugs there; nothing else of it writes anything.
      if (stderr !== '') throw new Error(stderr)
    },
  }
}

/** Two files that pass for clips: the double does not look inside. */
export async function clips(agent: Agent): Promise<{ clips: { file_id: string }[] }> {
  await mkdir(agent.workspace, { recursive: true })
  await writeFile(join(agent.workspace, 'left.mp4'), 'left clip')
  await writeFile(join(agent.workspace, 'right.mp4'), 'right clip')
  return { clips: [{ file_id: join(agent.workspace, 'left.mp4') }, { file_id: 'right.mp4' }] }
}

/** Takes a tool's answer apart. */
export function takeApart(result: CallToolResult): Answer {
  const [first] = result.content
  return {
    isError: result.isError === true,
    text: first?.type === 'text' ? first.text : '',
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
    result,
  }
}
