import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { JsonSchema } from '../../src/contract/json-schema.ts'
import { h264, generateMedia, picture } from '../engines/ffmpeg/generate-media.ts'
import { parseToolResult, type Era } from '../mcp/stdio-client.ts'
import { startServiceProcess } from '../service/process.ts'
import { currentResidentMiB } from '../service/resident-memory.ts'
import { Values, type Random } from './values.ts'

const invalidParams: number = ProtocolErrorCode.InvalidParams

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** Figures of a run. */
export interface ToolFuzzResult {
  readonly calls: number
  /** Calls that returned an error. */
  readonly refused: number
  /** The slowest response, ms. */
  readonly slowest: number
  /** Resident memory of the server after the first fifth and at the end, MiB. */
  readonly resident: readonly [number, number]
}

/** Calls every tool of a real MCP server over stdio with generated arguments. Throws on a bug, a hang or a broken protocol. */
export async function fuzzTools(
  count: number,
  { random, era }: { random: Random; era: Era },
): Promise<ToolFuzzResult> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-fuzz-'))
  const [dataDir, workspace] = [join(folder, 'data'), join(folder, 'workspace')]
  await mkdir(dataDir)
  const known = await createWorkspaceFiles(workspace)
  const service = await startServiceProcess(dataDir)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', '--allow-dir', workspace],
    env: {
      REELWRIGHT_DATA_DIR: join(folder, 'client'),
      REELWRIGHT_BASE_URL: service.baseUrl,
      REELWRIGHT_API_KEY: service.apiKey,
      REELWRIGHT_WORKSPACE: workspace,
      REELWRIGHT_LOG_LEVEL: 'error',
    },
    stderr: 'pipe',
  })
  let log = ''
  transport.stderr?.on('data', (chunk: Buffer) => void (log += chunk.toString()))
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client({ name: 'fuzz', version: '1' }, { versionNegotiation: { mode } })
  try {
    await client.connect(transport)
    const fuzzer = new ToolFuzzer(client, new Values(random, known), (await client.listTools()).tools)
    await fuzzer.run(Math.ceil(count / 5))
    const early = await currentResidentMiB(transport.pid ?? undefined)
    await fuzzer.run(Math.floor((count * 4) / 5))
    if (log !== '') throw new Error(`the server reported: ${log.slice(0, 2000)}`)
    return { ...fuzzer.figures(), resident: [early, await currentResidentMiB(transport.pid ?? undefined)] }
  } finally {
    await client.close()
    await service.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
}

/** Fills a workspace with files of every kind. Returns allowed names and some forbidden ones. */
async function createWorkspaceFiles(workspace: string): Promise<string[]> {
  await mkdir(join(workspace, 'folder.mp4'), { recursive: true })
  const clip = await generateMedia(join(workspace, 'clip.mp4'), [...picture(1), ...h264])
  await generateMedia(join(workspace, 'still.png'), [...picture(1), '-frames:v', '1'])
  await generateMedia(join(workspace, 'tone.wav'), ['-f', 'lavfi', '-i', 'sine=duration=1'])
  await writeFile(join(workspace, 'lines.srt'), '1\n00:00:00,000 --> 00:00:01,000\nA line.\n')
  await copyFile(clip, join(workspace, 'a name with "quotes" and ünïcode.mp4'))
  await writeFile(join(workspace, 'note.txt'), 'a note')
  await writeFile(join(workspace, 'empty.mp4'), '')
  await writeFile(join(workspace, 'broken.mp4'), Buffer.alloc(5000, 'broken'))
  await writeFile(join(workspace, '.hidden.mp4'), 'hidden')
  await symlink('/etc/passwd', join(workspace, 'link.mp4'))
  await promisify(execFile)('mkfifo', [join(workspace, 'pipe.mp4')])
  const usable = [
    'clip.mp4',
    'still.png',
    'tone.wav',
    'lines.srt',
    'a name with "quotes" and ünïcode.mp4',
    clip,
  ]
  const unusable = [
    'note.txt',
    'empty.mp4',
    'broken.mp4',
    '.hidden.mp4',
    'link.mp4',
    'pipe.mp4',
    'folder.mp4',
  ]
  const absent = ['missing.mp4', '/etc/passwd', '../outside.mp4']
  // Half of the names are of usable files.
  return [...usable, ...usable, ...unusable, ...absent]
}

/** Most stored ids. */
const maxKnown = 100

class ToolFuzzer {
  readonly #client: Client
  readonly #values: Values
  readonly #tools: readonly Tool[]
  #calls = 0
  #refused = 0
  #slowest = 0

  constructor(client: Client, values: Values, tools: readonly Tool[]) {
    this.#client = client
    this.#values = values
    this.#tools = tools
  }

  async run(count: number, atOnce = 3): Promise<void> {
    let remaining = count
    const call = async (): Promise<void> => {
      while (remaining > 0) {
        remaining -= 1
        await this.#call()
      }
    }
    await Promise.all(Array.from({ length: atOnce }, call))
  }

  figures(): Omit<ToolFuzzResult, 'resident'> {
    return { calls: this.#calls, refused: this.#refused, slowest: Math.round(this.#slowest) }
  }

  async #call(): Promise<void> {
    const tool = this.#values.pick(this.#tools)
    const args = this.#arguments(tool)
    const began = performance.now()
    const call = `${tool.name} ${JSON.stringify(args).slice(0, 1000)}`
    const response = await this.#client
      .callTool({ name: tool.name, arguments: args }, { timeout: 60_000 })
      .then(parseToolResult, (error: unknown) => {
        if (error instanceof ProtocolError && error.code === invalidParams) return undefined
        throw new Error(`no response to ${call}`, { cause: error })
      })
    this.#calls += 1
    this.#slowest = Math.max(this.#slowest, performance.now() - began)
    if (!response?.isError) return this.#values.addIds(response?.text ?? '', maxKnown)
    this.#refused += 1
    if (
      !/^\d{4}: [^]* Fix: [^]* Retryable: (yes|no)$/.test(response.text) ||
      response.text.startsWith('6500')
    ) {
      throw new Error(`${call}: ${response.text}`)
    }
  }

  #arguments({ inputSchema }: Tool): Record<string, unknown> {
    const values = this.#values
    const fitting = values.fitting(inputSchema as JsonSchema)
    const args = values.chance(0.6) ? fitting : values.corrupted(fitting)
    const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
    const named = isObject ? (args as Record<string, unknown>) : { file: args }
    // Other tests cover waiting.
    return 'wait_seconds' in (inputSchema.properties ?? {}) ? { ...named, wait_seconds: 0 } : named
  }
}
