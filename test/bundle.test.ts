import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@modelcontextprotocol/client'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectBy, endService } from './pack/connect.ts'

const root = dirname(import.meta.dirname)

let folder: string
let files: Readonly<Record<string, Uint8Array>>
let client: Client

/** What of a bundle's manifest a desktop client needs to start the server. */
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

/** What a desktop client puts in for a place: the folder of the bundle, what its user chose, else nothing. */
function filled(text: string, chosen: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(?:(__dirname)|user_config\.(\w+))\}/g, (_, own?: string, setting = '') =>
    own ? folder : (chosen[String(setting)] ?? ''),
  )
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-bundle-'))
  const packed = join(folder, 'packed.mcpb')
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'run.mjs'), 'build', 'mcpb', packed])
  files = unzipSync(await readFile(packed))
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
  const { command, args, env } = manifest().server.mcp_config
  const chosen = { workspace: join(folder, 'media') }
  client = await connectBy({
    // A desktop client brings a Node of its own.
    command: command === 'node' ? process.execPath : command,
    args: args.map((text) => filled(text, chosen)),
    env: {
      ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text, chosen)])),
      REELWRIGHT_DATA_DIR: join(folder, 'data'),
    },
  })
})
afterAll(async () => {
  await client.close()
  await endService(join(folder, 'data'))
  await rm(folder, { recursive: true, force: true })
})

describe('the bundle for desktop clients', () => {
  it('holds the program, its packages and their licences, and nothing of one system alone', () => {
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

  it('asks only for settings that it uses, and is named as the package', async () => {
    const { name, version, user_config, server } = manifest()
    expect(JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))).toMatchObject({ name, version })
    const used = [...JSON.stringify(server).matchAll(/user_config\.(\w+)/g)].map(([, setting]) => setting)
    expect(new Set(used)).toEqual(new Set(Object.keys(user_config)))
  })

  it('starts from its manifest, with the tools that it names, in the folder that was chosen', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(manifest().tools.map(({ name }) => name))
    const status = await client.callTool({ name: 'service_status' })
    expect(status.structuredContent).toMatchObject({ reachable: true, workspace: join(folder, 'media') })
  })
})
