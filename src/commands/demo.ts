import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import * as z from 'zod'
import { requestDaemonExit } from '../daemon/probe.ts'
import { readDaemonRecord } from '../daemon/record.ts'
import { runChild } from '../engines/ffmpeg/child.ts'
import { locateFfmpeg } from '../engines/ffmpeg/locate.ts'

// `npm run demo`: does what an agent does. Two clips, the MCP server over stdio, one tool call.

const root = join(import.meta.dirname, '..', '..')
const workspace = join(root, 'demo-output')
const dataDir = join(workspace, 'data')

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Two moving pictures as a phone takes them, with a tone each: name, ffmpeg's picture source, pitch in Hz. */
const clips = [
  { name: 'left.mp4', picture: 'testsrc2=size=720x1280:rate=30', pitch: 440 },
  { name: 'right.mp4', picture: 'mandelbrot=size=720x1280:rate=30', pitch: 660 },
]
const clipSeconds = 6

async function ffmpeg(args: readonly string[], input?: Uint8Array): Promise<void> {
  const file = (await locateFfmpeg()).ffmpeg
  const ended = await runChild({ file, args: ['-y', ...args], timeoutMs: 120_000, ...(input && { input }) })
  if (ended.code !== 0) throw new Error(`ffmpeg ended with ${ended.code}:\n${ended.log}`)
}

async function makeClips(): Promise<string[]> {
  const made = clips.map(async ({ name, picture, pitch }) => {
    const path = join(workspace, name)
    const sources = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=frequency=${pitch}`]
    const codecs = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
    await ffmpeg([...sources, '-t', String(clipSeconds), ...codecs, path])
    return path
  })
  return await Promise.all(made)
}

const clientSettings = z.object({
  mcpServers: z.object({ reelwright: z.object({ command: z.string(), args: z.array(z.string()) }) }),
})

/** The server as mcp.json starts it from the folder of this clone. */
async function serverCommand(): Promise<{ command: string; args: string[] }> {
  const file = clientSettings.parse(JSON.parse(await readFile(join(root, 'mcp.json'), 'utf8')))
  return file.mcpServers.reelwright
}

/** The same for clients that start it from any folder, and may not see the PATH of a shell. */
function clientConfiguration(): string {
  const args = [join(root, 'scripts', 'run.mjs'), 'mcp', '--allow-dir', '/path/to/media']
  const reelwright = { command: process.execPath, args }
  return JSON.stringify({ mcpServers: { reelwright } }, null, 2)
}

const snapshot = z.looseObject({
  task_id: z.string().optional(),
  transfer_id: z.string().optional(),
  status: z.string(),
  progress: z.number(),
  next_step: z.string(),
  files: z.array(z.looseObject({ path: z.string().optional() })).optional(),
})

async function callDemoTool(client: Client, name: string, args: Record<string, unknown>) {
  let last = -10
  const onprogress = ({ progress, message = '' }: { progress: number; message?: string }) => {
    if (progress < last + 10 && progress < 100) return
    last = progress
    say(`  ${String(Math.round(progress)).padStart(3)} %  ${message}`)
  }
  const result = await client.callTool({ name, arguments: args }, { timeout: 60_000, onprogress })
  if (result.isError !== true) return result
  const output = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  throw new Error(`${name} failed:\n${output}`)
}

/** Makes the split screen and waits for it, as the answers' next_step says; the path of the result. */
async function makeSplitScreen(client: Client, paths: readonly string[]): Promise<string> {
  const input = {
    clips: paths.map((path) => ({ file_id: path })),
    layout_mode: 'columns',
    output_ratio: '16:9',
    audio_mode: 'mix',
  }
  say(`\nvideo_split_screen ${JSON.stringify(input, null, 2)}`)
  let seen = snapshot.parse((await callDemoTool(client, 'video_split_screen', input)).structuredContent)
  while (['uploading', 'created', 'queued', 'processing'].includes(seen.status)) {
    const { task_id, transfer_id } = seen
    const again = task_id === undefined ? { transfer_id } : { task_id }
    seen = snapshot.parse(
      (await callDemoTool(client, 'get_task', { ...again, wait_seconds: 20 })).structuredContent,
    )
  }
  const path = seen.files?.[0]?.path
  if (path === undefined) throw new Error(`the task ended as ${seen.status}: ${seen.next_step}`)
  return path
}

/** Asks for a contact sheet and puts it beside the file as PNG. */
async function saveContactSheet(client: Client, path: string): Promise<string> {
  const input = { file: path, preview: 'contact_sheet' }
  say(`\ninspect_file ${JSON.stringify(input, null, 2)}`)
  const { content } = await callDemoTool(client, 'inspect_file', input)
  const image = content.find((block) => block.type === 'image')
  if (!image) throw new Error('inspect_file returned no picture')
  const sheet = path.replace(/\.\w+$/, '-contact-sheet.png')
  await ffmpeg(
    ['-f', 'image2pipe', '-i', 'pipe:0', '-frames:v', '1', sheet],
    Buffer.from(image.data, 'base64'),
  )
  return sheet
}

/** The demo's service has a data folder of its own and does not outlive the demo. */
async function endService(): Promise<void> {
  const daemon = await readDaemonRecord(dataDir)
  if (daemon) await requestDaemonExit(daemon)
}

await mkdir(workspace, { recursive: true })
say('Making two clips ...')
const paths = await makeClips()
const client = new Client({ name: 'reelwright-demo', version: '1.0.0' })
await client.connect(
  new StdioClientTransport({
    ...(await serverCommand()),
    cwd: root,
    env: { ...getDefaultEnvironment(), REELWRIGHT_DATA_DIR: dataDir, REELWRIGHT_WORKSPACE: workspace },
  }),
)
try {
  const result = await makeSplitScreen(client, paths)
  const sheet = await saveContactSheet(client, result)
  say(`\nThe split screen:   ${result}\nIts contact sheet:  ${sheet}`)
  say(
    `\nTo connect a client to this clone, give it this, with the folder of your media\nin place of /path/to/media (README, "Connect your client"):\n`,
  )
  say(clientConfiguration())
} finally {
  await client.close()
  await endService()
}
