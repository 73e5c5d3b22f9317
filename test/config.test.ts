import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { dataFiles } from '../src/daemon/data-files.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'reelwright-config-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

function settingsFile(content: unknown): Promise<void> {
  return writeFile(
    join(dataDir, dataFiles.settings),
    typeof content === 'string' ? content : JSON.stringify(content),
  )
}

describe('readConfig', () => {
  it('has a default for everything', async () => {
    expect(await readConfig({ dataDir, environment: {} })).toEqual({
      dataDir,
      baseUrl: undefined,
      apiKey: undefined,
      allowedDirs: [],
      workspace: undefined,
      projectDir: undefined,
      tools: {},
      allowUrls: false,
      confirmAbove: undefined,
      ffmpeg: undefined,
      packs: { folder: join(dataDir, dataFiles.packs), mirror: undefined, automatic: true, own: {} },
      services: {},
      databaseUrl: undefined,
      logLevel: 'info',
      host: '127.0.0.1',
      port: 8787,
      publicUrl: undefined,
      allowQueryAuthorization: false,
      rateLimits: {},
      connectionLimits: { total: 400, perAddress: 200 },
      agentAnswers: 'if offered',
      questionTimeoutMs: 86_400_000,
      voices: [],
    })
  })

  it.each([
    [{ max_connections: 50 }, { total: 50, perAddress: 200 }],
    [{ public_url: 'https://media.example.com' }, { total: 400, perAddress: 400 }],
    [
      { public_url: 'https://media.example.com', max_connections_per_address: 20 },
      { total: 400, perAddress: 20 },
    ],
  ])('limits connections from one address, unless it is a proxy: %j', async (given, expected) => {
    await settingsFile(given)
    const { connectionLimits } = await readConfig({ dataDir, environment: {} })
    expect(connectionLimits).toEqual(expected)
  })

  it('prefers the command line, and ignores options that are undefined', async () => {
    await settingsFile({ host: '::1', public_url: 'https://file.example' })
    const environment = { REELWRIGHT_PORT: '1', REELWRIGHT_PUBLIC_URL: 'https://environment.example' }
    const options = { host: undefined, port: undefined, public_url: 'https://option.example' }
    expect(await readConfig({ dataDir, environment, options })).toMatchObject({
      host: '::1',
      port: 1,
      publicUrl: 'https://option.example',
    })
  })

  it.each(['http://media.example', 'media.example', 'https://'])(
    'rejects the public address %j with the name of the option',
    async (public_url) => {
      await expect(readConfig({ dataDir, environment: {}, options: { public_url } })).rejects.toMatchObject({
        code: 6016,
        message: expect.stringContaining('--public-url: must be an https address'),
      })
    },
  )

  it('prefers the environment over the file', async () => {
    await settingsFile({ log_level: 'warn', port: 1, host: '::1' })
    const environment = { REELWRIGHT_PORT: '0', REELWRIGHT_LOG_LEVEL: 'debug' }
    expect(await readConfig({ dataDir, environment })).toMatchObject({
      logLevel: 'debug',
      port: 0,
      host: '::1',
    })
  })

  it('resolves paths of the file from its folder, those of the environment from the current folder', async () => {
    await settingsFile({ workspace: 'work', allowed_dirs: ['~/films', '/media'], ffmpeg: 'ffmpeg7' })
    const fromFile = await readConfig({ dataDir, environment: {} })
    expect(fromFile.workspace).toBe(join(dataDir, 'work'))
    expect(fromFile.allowedDirs).toEqual([join(homedir(), 'films'), resolve('/media')])
    expect(fromFile.ffmpeg).toBe('ffmpeg7')
    const environment = {
      REELWRIGHT_WORKSPACE: 'work',
      CLAUDE_PROJECT_DIR: '.',
      REELWRIGHT_FFMPEG: 'bin/ffmpeg',
    }
    expect(await readConfig({ dataDir, environment })).toMatchObject({
      workspace: resolve('work'),
      projectDir: process.cwd(),
      ffmpeg: resolve('bin/ffmpeg'),
    })
  })

  it('reads the data folder from the command line, then from the environment', async () => {
    const environment = { REELWRIGHT_DATA_DIR: join(dataDir, 'b') }
    expect((await readConfig({ environment })).dataDir).toBe(join(dataDir, 'b'))
    expect((await readConfig({ dataDir, environment })).dataDir).toBe(dataDir)
  })

  it('resolves the mirror and model paths of the file from its folder, and keeps addresses unchanged', async () => {
    const sha256 = 'AB'.repeat(32)
    await settingsFile({ models_mirror: 'mirror', models: { inpainting: { path: 'fill.onnx', sha256 } } })
    const { packs } = await readConfig({ dataDir, environment: {} })
    expect(packs).toMatchObject({
      mirror: join(dataDir, 'mirror'),
      own: { inpainting: { path: join(dataDir, 'fill.onnx'), sha256: sha256.toLowerCase() } },
    })
    const environment = { REELWRIGHT_MODELS_MIRROR: 'https://m.example/x/', REELWRIGHT_PULL_MODELS: 'false' }
    const other = await readConfig({ dataDir, environment })
    expect(other.packs).toMatchObject({ mirror: 'https://m.example/x/', automatic: false })
  })

  it.each([
    [{ 'text-detection': { path: 'a', sha256: '0'.repeat(64) } }, /models in .*text-detection/],
    [{ inpainting: { path: 'a', sha256: '0'.repeat(63) } }, /inpainting\.sha256: must be a SHA-256/],
    [{ inpainting: { path: 'a' } }, /inpainting\.sha256/],
  ])('rejects invalid model settings: %j', async (models, message) => {
    await settingsFile({ models })
    await expect(readConfig({ dataDir, environment: {} })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(message),
    })
  })

  it('reads boolean variables', async () => {
    const read = (value: string) => readConfig({ dataDir, environment: { ALLOW_QUERY_AUTHORIZATION: value } })
    for (const value of ['true', '1']) expect((await read(value)).allowQueryAuthorization).toBe(true)
    for (const value of ['false', '0', '']) expect((await read(value)).allowQueryAuthorization).toBe(false)
    await expect(read('yes')).rejects.toThrow('ALLOW_QUERY_AUTHORIZATION: ')
  })

  it.each([
    ['agent', 'always'],
    ['none', 'never'],
    ['http://127.0.0.1:11434/v1#m', 'if offered'],
  ])('reads who answers questions to a language model: %s', async (language_model, expected) => {
    const environment = { REELWRIGHT_LANGUAGE_MODEL: language_model }
    expect((await readConfig({ dataDir, environment })).agentAnswers).toBe(expected)
    await settingsFile({ language_model })
    const { agentAnswers, services } = await readConfig({ dataDir, environment: {} })
    expect([agentAnswers, services.language_model !== undefined]).toEqual([
      expected,
      expected === 'if offered',
    ])
  })

  it('reads lists with commas, and the tools that agents see', async () => {
    await settingsFile({ tools: ['get_task'], read_only: true, confirm_above_credits: 0 })
    const environment = { REELWRIGHT_TOOLSETS: ' render, clean,', REELWRIGHT_CONFIRM_ABOVE_CREDITS: '12' }
    expect(await readConfig({ dataDir, environment, options: { tools: ['inspect_file'] } })).toMatchObject({
      tools: { toolsets: ['render', 'clean'], tools: ['inspect_file'], readOnly: true },
      confirmAbove: 12,
    })
  })

  it.each([
    ['REELWRIGHT_TOOLSETS', 'render,dance', /REELWRIGHT_TOOLSETS: .*one of render, clean, speech/],
    ['REELWRIGHT_TOOLSETS', ',', /REELWRIGHT_TOOLSETS: /],
    ['REELWRIGHT_READ_ONLY', 'perhaps', /REELWRIGHT_READ_ONLY: /],
    ['REELWRIGHT_CONFIRM_ABOVE_CREDITS', '-1', /REELWRIGHT_CONFIRM_ABOVE_CREDITS: /],
    ['REELWRIGHT_CONFIRM_ABOVE_CREDITS', 'many', /REELWRIGHT_CONFIRM_ABOVE_CREDITS: must be a number/],
  ])('refuses %s=%s', async (name, value, message) => {
    await expect(readConfig({ dataDir, environment: { [name]: value } })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringMatching(message),
    })
  })

  it('reads an empty or unfilled variable as absent', async () => {
    const environment = { REELWRIGHT_API_KEY: '', REELWRIGHT_WORKSPACE: '${workspaceFolder}' }
    expect(await readConfig({ dataDir, environment })).toMatchObject({
      apiKey: undefined,
      workspace: undefined,
    })
  })

  it.each([
    [{ voice_id: 'a', name: '', languages: ['en-US'] }, '[0].name: '],
    [{ voice_id: 'a b', name: 'A', languages: ['en-US'] }, '[0].voice_id: at most 64 letters'],
    [{ voice_id: 'clone', name: 'A', languages: ['en-US'] }, '[0].voice_id: clone is not a voice'],
    [{ voice_id: 'a', name: 'A', languages: [] }, '[0].languages: '],
    [
      { voice_id: 'a', name: 'A', languages: ['english'] },
      '[0].languages[0]: a language is written like en-US',
    ],
  ])('rejects the voice %j with its position', async (voice, message) => {
    const service = { address: 'http://127.0.0.1:8880/v1', voice: 'a' }
    await settingsFile({ voices: [{ ...voice, service }] })
    const reading = readConfig({ dataDir, environment: {} })
    await expect(reading).rejects.toThrow(`voices in ${join(dataDir, dataFiles.settings)}: ${message}`)
  })

  it('accepts voices with unique ids', async () => {
    const voice = { voice_id: 'mei-1', name: 'Mei', languages: ['zh-CN', 'fil-PH'] }
    const set = { ...voice, service: { address: 'http://127.0.0.1:8880/v1', voice: 'mei' } }
    await settingsFile({ voices: [set] })
    expect(await readConfig({ dataDir, environment: {} })).toMatchObject({ voices: [voice] })
    await settingsFile({ voices: [set, set] })
    await expect(readConfig({ dataDir, environment: {} })).rejects.toThrow(
      'two voices have the same voice_id',
    )
  })

  it('does not quote a file with invalid JSON, which may contain a key', async () => {
    await writeFile(join(dataDir, 'reelwright.config.json'), '{ "api_key": secret-key }')
    const rejection = readConfig({ dataDir, environment: {} })
    await expect(rejection).rejects.toThrow('is not valid JSON')
    await expect(rejection).rejects.not.toThrow('secret-key')
  })

  it.each([
    [{ prot: 1 }, 'Unrecognized key: "prot"'],
    [{ port: 70_000 }, 'port in '],
    [{ base_url: 'ftp://x' }, 'base_url in '],
    ['{', 'is not valid JSON'],
  ])('reports an invalid file: %j', async (content, message) => {
    await settingsFile(content)
    await expect(readConfig({ dataDir, environment: {} })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringContaining(message),
    })
    await expect(readConfig({ dataDir, environment: {} })).rejects.toThrow(join(dataDir, dataFiles.settings))
  })

  it('reports why the file cannot be read', async () => {
    await mkdir(join(dataDir, dataFiles.settings))
    await expect(readConfig({ dataDir, environment: {} })).rejects.toThrow(
      /config\.json cannot be read: EISDIR/,
    )
  })

  it('does not check whether the data folder is a folder', async () => {
    const file = join(dataDir, 'file')
    await writeFile(file, '')
    expect(await readConfig({ dataDir: file, environment: {} })).toMatchObject({ dataDir: file, port: 8787 })
  })

  it.each([
    ['REELWRIGHT_PORT', 'many'],
    ['REELWRIGHT_BASE_URL', 'media.example'],
    ['REELWRIGHT_LOG_LEVEL', 'loud'],
    ['DATABASE_URL', 'mysql://x/y'],
  ])('reports the invalid variable: %s', async (name, value) => {
    await expect(readConfig({ dataDir, environment: { [name]: value } })).rejects.toMatchObject({
      code: 6016,
      message: expect.stringContaining(name),
    })
  })
})
