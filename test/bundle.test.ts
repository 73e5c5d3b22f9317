import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@modelcontextprotocol/client'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectBy, endService } from './pack/connect.ts'
import { sampleCases } from './soak-size.ts'

const root = dirname(import.meta.dirname)

let folder: string
let files: Readonly<Record<string, Uint8Array>>

/** The part of a bundle's manifest with which a desktop client starts the server. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly tools: readonly { readonly name: string }[]
  readonly user_config: Readonly<Record<string, unknown>>
  readonly server: {
    readonly entry_point: string
    readonly mcp_config: {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  }
}

const textOf = (name: string): string => new TextDecoder().decode(files[name])
const manifest = (): Manifest => JSON.parse(textOf('manifest.json')) as Manifest

/** Replaces placeholders like a desktop client: the bundle's folder, the user's settings, otherwise nothing. */
function expandPlaceholders(text: string, chosen: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(?:(__dirname)|user_config\.(\w+))\}/g, (_, own?: string, setting = '') =>
    own ? folder : (chosen[String(setting)] ?? ''),
  )
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-bundle-'))
  const packed = join(folder, 'packed.mcpb')
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'run.mjs'), 'build', 'mcpb', packed])
  files = unzipSync(await readFile(packed))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Unpacks the bundle and starts the server as a desktop client does. */
async function startServer(): Promise<Client> {
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
  const { command, args, env } = manifest().server.mcp_config
  const chosen = { workspace: join(folder, 'media') }
  return await connectBy({
    // A desktop client includes its own Node.
    command: command === 'node' ? process.execPath : command,
    args: args.map((text) => expandPlaceholders(text, chosen)),
    env: {
      ...Object.fromEntries(
        Object.entries(env).map(([name, text]) => [name, expandPlaceholders(text, chosen)]),
      ),
      REELWRIGHT_DATA_DIR: join(folder, 'data'),
    },
  })
}

describe('the bundle for desktop clients', () => {
  it('contains the program, its packages and their licences, and no platform-specific files', () => {
    const names = Object.keys(files)
    expect(names).toEqual(
      expect.arrayContaining([
        manifest().server.entry_point,
        'LICENSE',
        'dist/src/main.js',
        'dist/prompts/make-split-screen.md',
      ]),
    )
    expect(names).toContain('node_modules/zod/LICENSE')
    expect(names.filter((name) => /\.(node|ts|map)$|^(src|test|scripts)\//.test(name))).toEqual([])
    const bytes = Object.values(files).reduce((sum, { length }) => sum + length, 0)
    expect(bytes).toBeLessThan(60_000_000)
  })

  /** What its manifest declares, and how it starts. */
  const uses = {
    async 'declares only settings that it uses, and has the name of the package'() {
      const { name, version, user_config, server } = manifest()
      expect(JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))).toMatchObject({ name, version })
      const used = [...JSON.stringify(server).matchAll(/user_config\.(\w+)/g)].map(([, setting]) => setting)
      expect(new Set(used)).toEqual(new Set(Object.keys(user_config)))
    },
    async 'starts as its manifest declares, with the declared tools, in the chosen folder'() {
      const client = await startServer()
      onTestFinished(async () => {
        await client.close()
        await endService(join(folder, 'data'))
      })
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(manifest().tools.map(({ name }) => name))
      const status = await client.callTool({ name: 'service_status' })
      expect(status.structuredContent).toMatchObject({ reachable: true, workspace: join(folder, 'media') })
    },
  }

  it.each(sampleCases(Object.entries(uses), 1))('%s', async (_, check) => await check())
})
