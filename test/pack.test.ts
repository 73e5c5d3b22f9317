import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../tools/index.ts'
import { connectTo, endService } from './pack/connect.ts'
import { installPacked, type Packed } from './pack/packed.ts'

const root = dirname(import.meta.dirname)

let folder: string
let packed: Packed

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-pack-'))
  packed = await installPacked(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the packed package', () => {
  it('holds the built program and nothing else', () => {
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        join('dist', 'src', 'main.js'),
        join('dist', 'src', 'page', 'main.js'),
        join('dist', 'src', 'page', 'index.html'),
        join('dist', 'src', 'engines', 'chromium', 'page', 'play.js'),
      ]),
    )
    expect(packed.files.filter((file) => /\.ts$|\.test\.|^(src|test|tools|scripts)\b/.test(file))).toEqual([])
  })

  it('holds what the program starts as threads and processes, which nothing imports', () => {
    const started = globSync('{src,tools}/**/{*-thread,child}.ts', { cwd: root })
    expect(started.length).toBeGreaterThan(4)
    const built = started.map((source) => join('dist', source.replace(/ts$/, 'js')))
    expect(packed.files).toEqual(expect.arrayContaining(built))
  })

  it('is light', () => {
    // What all share, and the text and code of each operation, compressed: no media, no models, no maps.
    expect(packed.bytes).toBeLessThan(250_000 + 40_000 * operations.length)
    expect(packed.dependencies.length).toBeLessThan(120)
  })

  it('serves mcp, starting the service it needs', async () => {
    const dataDir = join(folder, 'data')
    const client = await connectTo(packed.program, dataDir)
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('video_split_screen')
      const status = await client.callTool({ name: 'service_status' })
      expect(status.isError).not.toBe(true)
      expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0)
    } finally {
      await client.close()
      await endService(dataDir)
    }
  })
})
