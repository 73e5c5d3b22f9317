import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Capabilities } from '../../src/contract/catalog.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { operations } from '../../tools/index.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { h264, generateMedia, picture, scratchFolder, tone } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'

// Errors at task creation of a service without models or external services.

const folder = await scratchFolder()
let service: TestService

beforeAll(async () => {
  configurePacks({ folder: join(folder, 'packs'), automatic: true, own: {}, manifest })
  service = await startTestService({ operations })
})
afterAll(() => service[Symbol.asyncDispose]())

const all = 'reelwright models pull zipvoice sense-voice'
const create = async (request: object) =>
  await api(service).create('audio_tts_zero_shot', { ref_file_id: '1234567890123456789', ...request })

test('one command installs voice and recogniser, and the capabilities report the same', async () => {
  expect(await create({ text: '你好。' })).toMatchObject({ code: 6401, hint: all })
  const { data } = await api(service).send<Capabilities>(routes.capabilities.path)
  const operation = data.operations.find(({ name }) => name === 'audio_tts_zero_shot')
  expect(operation).toMatchObject({ ready: false, missing: expect.stringContaining(all) as string })
})

test('no recogniser is required with ref_text', async () => {
  const response = await create({ text: '你好。', ref_text: '希望' })
  expect(response).toMatchObject({ code: 6401, hint: 'reelwright models pull zipvoice' })
})

test('names the setting for a language that no local model supports', async () => {
  for (const text_lang of ['ja-JP', 'ko-KR', 'zh-HK']) {
    const response = await create({ text: 'Hello.', text_lang })
    expect(response).toMatchObject({ code: 6401, hint: expect.stringContaining('"voice_service"') as string })
    expect(JSON.stringify(response)).not.toContain('zipvoice')
  }
})

describe('a video whose pictures cannot be decoded', () => {
  beforeAll(() =>
    configureServices({
      voice_service: { address: 'gpt-sovits+http://127.0.0.1:9' },
      transcription: { address: 'http://127.0.0.1:9/v1', model: 'none' },
    }),
  )
  afterAll(() => configureServices({}))

  const upload = async (name: string, codecs: readonly string[]): Promise<string> => {
    const path = await generateMedia(join(folder, name), [...picture(4), ...tone(4), ...codecs])
    return (await api(service).upload(name, new Uint8Array(await readFile(path)))).data.file_id
  }
  const quote = (file_id: string) =>
    api(service).send(fillPath(routes.quoteTask.path, { task_type: 'audio_tts_zero_shot' }), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: '你好。', ref_file_id: file_id }),
    })
  const inspect = (file_id: string) => api(service).send(fillPath(routes.inspectFile.path, { file_id }))

  test('is accepted for its sound only', async () => {
    // Noise in each packet of the picture.
    const damaged = await upload('talk.mkv', ['-c:v', 'png', '-bsf:v', 'noise=amount=1', '-c:a', 'flac'])
    expect(await quote(damaged)).toMatchObject({ status: 200, data: { credits: 1 } })
    expect(await inspect(damaged)).toMatchObject({
      ...{ code: 6021, msg: expect.stringContaining('talk.mkv') as string },
    })
  })

  test('the failure is not cached', async () => {
    const intact = await upload('whole.mkv', [...h264, '-c:a', 'flac'])
    {
      const decodesNothing = 'case "$*" in *"-show_entries frame"*) exit 0;; esac; exec "$FFPROBE" "$@"'
      using _ = await replaceFfmpeg(join(folder, 'decodes-nothing'), decodesNothing, 'ffprobe')
      expect(await quote(intact)).toMatchObject({ status: 200 })
      expect(await inspect(intact)).toMatchObject({ code: 6021 })
    }
    expect(await inspect(intact)).toMatchObject({
      status: 200,
      data: { media: { video: { codec: 'h264' } } },
    })
  })
})
