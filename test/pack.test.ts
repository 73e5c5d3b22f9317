import { globSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFiles } from '../src/daemon/data-files.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { packFolder, inventoryFile } from '../src/engines/packs/store.ts'
import { operations } from '../tools/index.ts'
import { testdata } from './engines/ffmpeg/generate-media.ts'
import { connectTo, endService } from './pack/connect.ts'
import { installPacked, type Packed } from './pack/packed.ts'
import { firstSeconds, generatePiece } from './piano/generated-pieces.ts'
import { florestan, record, writeWav } from './piano/recordings.ts'

const root = dirname(import.meta.dirname)

let folder: string
let packed: Packed

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-pack-'))
  packed = await installPacked(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Installs the engines where `reelwright setup` does, but from the packages of this checkout. */
async function installEngines(packs: string): Promise<void> {
  const name = 'onnx-runtime'
  const engineFolder = packFolder({ folder: packs, automatic: true, own: {}, manifest }, name, manifest[name])
  await mkdir(join(engineFolder, 'node_modules'), { recursive: true })
  for (const { name: one } of manifest[name].packages)
    await symlink(join(root, 'node_modules', one), join(engineFolder, 'node_modules', one), 'junction')
  const path = join('node_modules', manifest[name].packages[0].name, 'package.json')
  const { size: bytes } = await stat(join(engineFolder, path))
  await writeFile(
    join(engineFolder, inventoryFile),
    JSON.stringify([{ path, bytes, sha256: '0'.repeat(64) }]),
  )
}

describe('the packed package', () => {
  it('contains only the built program', () => {
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

  it('contains the entries of threads and processes, which no module imports', () => {
    const sources = globSync('{src,tools}/**/!(*.test).ts', { cwd: root })
    const named = /new URL\('(\.\/[\w-]+)', import\.meta\.url\)|'(\.\/[\w-]+)\.js'/g
    const started = sources.flatMap((source) =>
      [...readFileSync(join(root, source), 'utf8').matchAll(named)].map(([, thread, program]) =>
        join('dist', dirname(source), `${thread ?? program}.js`),
      ),
    )
    expect(started).toContain(join('dist', 'src', 'engines', 'piano', 'basic-pitch-thread.js'))
    expect(started).toContain(join('dist', 'src', 'engines', 'speech', 'sherpa', 'child.js'))
    expect(packed.files).toEqual(expect.arrayContaining(started))
  })

  it('is small', () => {
    // Compressed: shared code, and code and texts of each operation. No media, models or source maps.
    expect(packed.bytes).toBeLessThan(250_000 + 40_000 * operations.length)
    expect(packed.dependencies.length).toBeLessThan(120)
  })

  it('serves MCP and starts the service', async () => {
    const dataDir = join(folder, 'data')
    const client = await connectTo(packed.program, folder, dataDir)
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('video_split_screen')
      const status = await client.callTool({ name: 'service_status' })
      expect(status.isError).not.toBe(true)
      // Where `reelwright` is not on the PATH, its file is named.
      expect(JSON.stringify(status.content)).toMatch(
        /Fix: `(reelwright|node '?[^'`]+[/\\]bin[/\\]reelwright\.mjs'?) models pull whisper-tiny/,
      )
      expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0)
    } finally {
      await client.close()
      await endService(dataDir)
    }
  })

  it('transcribes a piano and detects text with the installed engines', async ({ skip }) => {
    const [models, pictures] = [testdata('models'), testdata('ocr')]
    if (models === undefined || pictures === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
    const [dataDir, workspace] = [join(folder, 'models'), join(folder, 'workspace')]
    await mkdir(workspace)
    await installEngines(join(dataDir, dataFiles.packs))
    await writeFile(join(dataDir, 'reelwright.config.json'), JSON.stringify({ models_mirror: models }))
    const sound = await record(firstSeconds(generatePiece('voices', 31), 5), { soundFont: florestan ?? '' })
    await writeWav(join(workspace, 'piano.wav'), sound)
    await copyFile(join(pictures ?? '', 'text_rec.jpg'), join(workspace, 'text.jpg'))
    const client = await connectTo(packed.program, workspace, dataDir)
    try {
      const outputOf = async (name: string, file_id: string) => {
        const response = await client.callTool({ name, arguments: { file_id, wait_seconds: 45 } })
        expect(response.structuredContent).toMatchObject({ status: 'completed' })
        return (response.structuredContent as { output: Record<string, number> }).output
      }
      const { notes_found } = await outputOf('piano_audio_to_midi', 'piano.wav')
      expect(notes_found).toBeGreaterThan(30)
      const { regions_found } = await outputOf('image_purify', 'text.jpg')
      expect(regions_found).toBeGreaterThan(0)
    } finally {
      await client.close()
      await endService(dataDir)
    }
  })
})
