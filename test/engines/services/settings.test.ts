import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  workerEnvironment,
  readConfig,
  configSecrets,
  takeWorkerServices,
} from '../../../src/config/config.ts'
import { dataFiles } from '../../../src/daemon/data-files.ts'
import { examineServices } from '../../../src/doctor/services.ts'
import type { Services } from '../../../src/engines/services/services.ts'
import { configuredService, configureServices } from '../../../src/engines/services/configured.ts'
import { findIgnoredSettings } from '../../../src/config/ignored-settings.ts'
import { openLog } from '../../../src/platform/log.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { serviceOptionsFromConfig } from '../../../src/service/engine-settings.ts'
import { openWorkers } from '../../../src/tasks/workers.ts'
import { fails, hangs, json, page, startFakeService } from './fake-service.ts'

let dataDir: string
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'reelwright-services-'))))
afterEach(() => rm(dataDir, { recursive: true }))
afterAll(() => configureServices({}))

async function read(file: object, environment: Readonly<Record<string, string>> = {}) {
  await writeFile(join(dataDir, dataFiles.settings), JSON.stringify(file))
  return await readConfig({ dataDir, environment })
}

describe('service settings', () => {
  it.each([
    ['http://127.0.0.1:11434/v1#qwen3:8b', { address: 'http://127.0.0.1:11434/v1', model: 'qwen3:8b' }],
    ['http://127.0.0.1:8080/v1', { address: 'http://127.0.0.1:8080/v1' }],
    ['https://api.example.com/v1#org/model', { address: 'https://api.example.com/v1', model: 'org/model' }],
    [' http://ollama:11434/v1#a#b ', { address: 'http://ollama:11434/v1', model: 'a#b' }],
  ])('may be one line: %s', async (line, service) => {
    const expected = { language_model: { ...service, key: undefined } }
    expect((await read({ language_model: line })).services).toEqual(expected)
    expect((await read({}, { REELWRIGHT_LANGUAGE_MODEL: line })).services).toEqual(expected)
  })

  it.each([
    ['jina+http://127.0.0.1:8000/v1#jina-clip-v2', 'jina+http://127.0.0.1:8000/v1', 'jina-clip-v2'],
    ['https://api.example.com/v1#text-embedding', 'https://api.example.com/v1', 'text-embedding'],
    ['openai+http://infinity:7997#a/b', 'openai+http://infinity:7997', 'a/b'],
  ])('name the API of embeddings before the address: %s', async (line, address, model) => {
    const { services } = await read({ embedding: line, embedding_key: 'from-file' })
    expect(services).toEqual({ embedding: { address, model, key: 'from-file' } })
  })

  it('accept all fields', async () => {
    const address = 'https://api.example.com/v1'
    const model = { address, model: 'm', requests_per_minute: 20, concurrency: 4, context_tokens: 128_000 }
    const voice = { address: 'gpt-sovits+http://192.168.1.4:9880', folder: 'voices', folder_there: '/v' }
    const transcription = { address, key: 'from-file' }
    const { services } = await read(
      { language_model: { ...model, key: 'in-object' }, voice_service: voice, transcription },
      { REELWRIGHT_LANGUAGE_MODEL_KEY: 'from-environment' },
    )
    expect(services).toEqual({
      language_model: { ...model, key: 'from-environment' },
      transcription,
      voice_service: { ...voice, folder: join(dataDir, 'voices'), key: undefined },
    })
  })

  it.each([
    [
      { language_model: 'http://api.example.com/v1' },
      'language_model in .*address: must be an https address, or http of',
    ],
    [{ language_model: 'https://a:b@api.example.com/v1' }, 'address: must be an https address'],
    [{ language_model: 'qwen3:8b' }, 'address: must be an https address'],
    [{ language_model: 'gpt-sovits+http://127.0.0.1:9880' }, 'address: must be an https address'],
    [{ voice_service: 'other+http://127.0.0.1:9880' }, 'address: must be gpt-sovits\\+ or openai\\+'],
    [{ voice_service: 'jina+http://127.0.0.1:9880' }, 'address: must be gpt-sovits\\+ or openai\\+'],
    [{ embedding: 'gpt-sovits+http://127.0.0.1:1/v1#m' }, 'address: must be, after jina\\+ or openai\\+'],
    [{ embedding: 'jina+http://api.example.com/v1#m' }, 'address: must be, after jina\\+ or openai\\+'],
    [{ embedding: 'jina+http://127.0.0.1:1/v1' }, 'embedding in .*model: must name the model'],
    [{ language_model: 'http://127.0.0.1:1/v1#' }, 'model: at least 1 character'],
    [{ language_model: { address: 'http://127.0.0.1:1/v1', folder: 'a' } }, 'folder'],
    [{ transcription_key: 'a\nb' }, 'transcription_key in .*: must be a key'],
    [{ language_model: 5 }, 'language_model in .*: must be an object'],
  ])('are rejected where they cannot be used: %j', async (file, message) => {
    await expect(read(file)).rejects.toMatchObject({ code: 6016, message: expect.stringMatching(message) })
  })

  it('keep keys out of the environment of child processes of workers', async () => {
    const { services, ...config } = await read({
      language_model: 'http://127.0.0.1:1/v1#m',
      language_model_key: 'key-of-the-model',
    })
    expect(configSecrets({ services, ...config })).toEqual(['key-of-the-model'])
    const expected = workerEnvironment(services)
    const [[name, value] = ['', '']] = Object.entries(expected).filter(([, text]) =>
      text?.includes('key-of-the-model'),
    )
    process.env[name] = value
    expect(takeWorkerServices()).toEqual(services)
    expect(process.env).not.toHaveProperty(name)
    expect(takeWorkerServices()).toEqual({})
  })

  it('reach a worker without keys in its arguments', async () => {
    const { services, ...config } = await read({
      voice_service: 'https://voice.example/v1',
      voice_service_key: 'voice-key-0123',
    })
    const expected = join(dataDir, 'worker.mjs')
    const own = join(import.meta.dirname, '..', '..', '..', 'src', 'config', 'config.ts')
    await writeFile(
      expected,
      `import { takeWorkerServices } from ${JSON.stringify(own)}
       const output = { services: takeWorkerServices(), left: Object.values(process.env) }
       process.on('message', () => process.send({ type: 'finished', result: { output, files: [] } }))
       process.send({ type: 'ready' })`,
    )
    const { worker } = serviceOptionsFromConfig({ services, ...config }, expected)
    expect(configuredService('voice_service')?.key).toBe('voice-key-0123')
    expect(worker.args.join(' ')).not.toContain('voice-key')
    await using workers = await openWorkers({
      command: worker,
      folder: join(dataDir, 'run'),
      log: openLog({ level: 'silent' }),
      metrics: new Metrics(),
    })
    const attempt = {
      taskId: '1',
      operation: 'x',
      input: '{}',
      files: [],
      scratch: dataDir,
      steps: dataDir,
      threads: 1,
      answersBy: null,
    }
    const watch = { signal: new AbortController().signal, onProgress: () => undefined }
    const { output } = (await workers.run(attempt, watch)) ?? {}
    expect(output).toMatchObject({ services: { voice_service: { key: 'voice-key-0123' } } })
    expect(JSON.stringify(output?.['left'])).not.toContain('voice-key')
  })

  it('cause a warning if the local service does not read them', async () => {
    await read({ transcription: 'http://127.0.0.1:1/v1#w' })
    process.env['REELWRIGHT_LANGUAGE_MODEL'] = 'http://127.0.0.1:11434/v1#m'
    process.env['REELWRIGHT_TRANSCRIPTION'] = 'http://127.0.0.1:1/v1#w'
    try {
      expect(await findIgnoredSettings(dataDir, process.env)).toMatchObject([
        { name: 'language_model', fix: expect.stringMatching(/^set "language_model" in /) },
      ])
    } finally {
      delete process.env['REELWRIGHT_LANGUAGE_MODEL']
      delete process.env['REELWRIGHT_TRANSCRIPTION']
    }
  })
})

describe('the doctor', () => {
  /** What it finds of a language model. */
  async function found(service: NonNullable<Services['language_model']>) {
    const [finding] = await examineServices({ language_model: service })
    return finding
  }

  it('reports how to configure services', async () => {
    expect(await examineServices({})).toMatchObject([
      {
        name: 'language model',
        state: 'ok',
        detail: expect.stringContaining('not configured. Set "language_model" in'),
      },
      { name: 'transcription service', state: 'ok' },
      {
        name: 'voice service',
        state: 'ok',
        detail: expect.stringContaining('gpt-sovits+http://127.0.0.1:9880'),
      },
      { name: 'embedding service', state: 'ok', detail: expect.stringContaining('Set "embedding"') },
    ])
  })

  it('names the calling agent where it answers instead of a model', async () => {
    const [model, ...others] = await examineServices({}, { answersBy: 'agent' })
    expect(model?.detail).toMatch(/^not configured\. The calling agent answers\. Set "language_model" in/)
    for (const { detail } of others) expect(detail).not.toContain('agent')
  })

  it.each([
    ['m', 'ok', ' responds'],
    ['other', 'note', ' is not among the models that it lists: m:latest, n'],
    [undefined, 'note', ' has 2 models, but none is configured'],
  ])('looks for the model %s', async (model, state, detail) => {
    await using server = await startFakeService(json({ data: [{ id: 'm:latest' }, { id: 'n' }] }))
    const finding = await found({ address: `${server.origin}/v1`, model })
    expect(finding).toMatchObject({ state, detail: expect.stringContaining(detail) })
    expect(server.heard.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models'])
  })

  it.each([
    [fails(401), 'asks for a key (HTTP 401)', 'Set "language_model_key" (REELWRIGHT_LANGUAGE_MODEL_KEY).'],
    [fails(503), 'is busy (HTTP 503)', 'Try again later.'],
    [page(), 'responds to /models without a list of models', expect.stringContaining('Check the setting')],
  ])('reports an unusable model: case %#', async (reply, detail, fix) => {
    await using server = await startFakeService(reply)
    const finding = await found({ address: `${server.origin}/v1`, model: 'm' })
    expect(finding).toMatchObject({ state: 'note', detail: expect.stringContaining(detail), fix })
    expect(server.heard).toHaveLength(1)
  })

  it('looks for the model of an embedding service', async () => {
    await using server = await startFakeService(json({ data: [{ id: 'other' }] }))
    const embedding = { address: `${server.origin}/v1`, model: 'e' }
    expect((await examineServices({ embedding })).at(-1)).toMatchObject({
      ...{ state: 'note', detail: expect.stringContaining(' is not among the models that it lists: other') },
    })
  })

  it('limits the time of a check', async () => {
    await using server = await startFakeService(hangs())
    const finding = await found({ address: `${server.origin}/v1`, model: 'm' })
    expect(finding).toMatchObject({
      state: 'note',
      detail: expect.stringContaining('did not respond within 3 s'),
    })
  })

  it.each([404, 405, 501])('accepts a server without a list of models: HTTP %i', async (status) => {
    await using server = await startFakeService(fails(status))
    const finding = await found({ address: `${server.origin}/v1`, model: 'm' })
    expect(finding).toMatchObject({ state: 'ok' })
  })

  it.each([
    [500, 'failed (HTTP 500)'],
    [502, 'failed (HTTP 502)'],
    [503, 'is busy (HTTP 503)'],
    [401, 'asks for a key (HTTP 401)'],
  ])('checks other services and reports failures: HTTP %i', async (status, detail) => {
    await using server = await startFakeService(page(status))
    const [, ...findings] = await examineServices({
      transcription: { address: `${server.origin}/v1` },
      voice_service: { address: `gpt-sovits+${server.origin}` },
      embedding: { address: `jina+${server.origin}/v1`, model: 'e' },
    })
    const expected = { state: 'note', detail: expect.stringContaining(detail) as string }
    expect(findings).toMatchObject([expected, expected, expected])
  })

  it('accepts a response of other services that have no such endpoint', async () => {
    await using server = await startFakeService(fails(404))
    const findings = await examineServices({
      transcription: { address: `${server.origin}/v1`, model: 'w' },
      voice_service: { address: `gpt-sovits+${server.origin}` },
      embedding: { address: `jina+${server.origin}/v1`, model: 'e' },
    })
    const host = new URL(server.origin).host
    expect(findings.slice(1)).toEqual([
      { name: 'transcription service', state: 'ok', detail: `w at ${host} responds` },
      { name: 'voice service', state: 'ok', detail: `${host} responds` },
      { name: 'embedding service', state: 'ok', detail: `e at ${host} responds` },
    ])
    await server[Symbol.asyncDispose]()
    const [, gone] = await examineServices({ transcription: { address: `${server.origin}/v1` } })
    expect(gone).toMatchObject({ state: 'note', detail: `${host} cannot be reached (ECONNREFUSED)` })
  })
})
