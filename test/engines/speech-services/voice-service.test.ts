import { randomUUID } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openVoiceService } from '../../../src/engines/speech/voice-service.ts'
import { configureServices } from '../../../src/engines/services/configured.ts'
import type { VoiceService } from '../../../src/engines/services/services.ts'
import { decodeWav, encodeWav } from '../../../src/media/audio/wav.ts'
import {
  breaks,
  bytes,
  fails,
  json,
  page,
  startFakeService,
  type Reply,
  type FakeService,
} from '../services/fake-service.ts'

const { signal } = new AbortController()

/** A second of a tone. */
const tone = (rate: number) => ({
  rate,
  samples: Float32Array.from({ length: rate }, (_, at) => Math.sin(at / 9) / 3),
})

const reference = { ...tone(24_000), text: '你好', language: 'zh-CN' }
const utterance = { text: 'Good morning.', language: 'en-US', reference, speed: 1.25 }
const wav = encodeWav(tone(32_000))

let server: FakeService
let scratch: string
beforeEach(async () => {
  server = await startFakeService(bytes(wav, 'audio/wav'))
  scratch = await mkdtemp(join(tmpdir(), 'reelwright-voice-'))
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true })
})
afterAll(() => configureServices({}))

function setVoice(dialect: 'openai' | 'gpt-sovits', settings: Partial<VoiceService> = {}): void {
  const path = dialect === 'openai' ? '/v1' : ''
  configureServices({ voice_service: { address: `${dialect}+${server.origin}${path}`, ...settings } })
}

async function speak(changes: Partial<typeof utterance> = {}) {
  await using copier = openVoiceService({ scratch, pause: async () => undefined })
  return await copier.speak({ ...utterance, ...changes }, { signal })
}

const host = () => new URL(server.origin).host
const body = () => JSON.parse(String(server.heard.at(-1)?.body)) as Record<string, unknown>

describe('GPT-SoVITS', () => {
  beforeEach(() => setVoice('gpt-sovits'))

  /** Reads the reference by its path, as the server does. */
  const reads: Reply = async (response, heard) => {
    const { ref_audio_path: path } = JSON.parse(String(heard.body)) as { ref_audio_path: string }
    await bytes(encodeWav(decodeWav(await readFile(path))), 'audio/wav')(response, heard)
  }

  it('reads the reference from a file that is removed afterwards', async () => {
    server.otherwise = reads
    const { samples, rate } = await speak()
    expect([samples.length, rate]).toEqual([24_000, 24_000])
    expect(samples[100]).toBeCloseTo(reference.samples[100] ?? 0, 3)
    expect(server.heard[0]).toMatchObject({ method: 'POST', path: '/tts' })
    expect(body()).toEqual({
      text: 'Good morning.',
      text_lang: 'en',
      ref_audio_path: expect.stringContaining(scratch),
      prompt_text: '你好',
      prompt_lang: 'zh',
      text_split_method: 'cut5',
      batch_size: 1,
      speed_factor: 1.25,
      media_type: 'wav',
      streaming_mode: false,
    })
    expect(await readdir(scratch)).toEqual([])
  })

  it('supports five languages', async () => {
    await using copier = openVoiceService({ scratch })
    expect(copier).toMatchObject({ name: host(), languages: ['zh-CN', 'zh-HK', 'en-US', 'ja-JP', 'ko-KR'] })
    const sent: unknown[] = []
    for (const language of copier.languages) {
      await copier.speak({ ...utterance, language }, { signal })
      sent.push(body()['text_lang'])
    }
    expect(sent).toEqual(['zh', 'yue', 'en', 'ja', 'ko'])
  })

  it('reads from a shared folder by its own path', async () => {
    const names: string[] = []
    server.otherwise = async (response, heard) => {
      names.push(...(await readdir(scratch)))
      await bytes(wav, 'audio/wav')(response, heard)
    }
    setVoice('gpt-sovits', { folder: scratch, folder_there: '/voices/' })
    await speak()
    expect(body()['ref_audio_path']).toBe(`/voices/${names[0]}`)
    setVoice('gpt-sovits', { folder: scratch, folder_there: 'D:\\voices' })
    await speak()
    expect(body()['ref_audio_path']).toBe(`D:\\voices\\${names[1]}`)
    expect(await readdir(scratch)).toEqual([])
  })

  it('removes only stale references of killed workers', async () => {
    const put = async (name: string, hoursAgo: number) => {
      const at = new Date(Date.now() - hoursAgo * 3_600_000)
      await writeFile(join(scratch, name), 'sound')
      await utimes(join(scratch, name), at, at)
    }
    const left = (digit: string) => `reelwright-voice-${randomUUID().replace(/^./, digit)}.wav`
    await put(left('0'), 2)
    const others = [left('1'), 'reelwright-voice-of-grandmother.wav', 'voice.wav']
    for (const [index, name] of others.entries()) await put(name, index === 0 ? 0.9 : 1000)
    const folder = left('2')
    await mkdir(join(scratch, folder))
    await utimes(join(scratch, folder), 0, 0)
    setVoice('gpt-sovits', { folder: scratch })
    await speak()
    expect((await readdir(scratch)).toSorted()).toEqual([...others, folder].toSorted())
  })

  it.skipIf(process.platform === 'win32')('does not need permission to list the folder', async () => {
    setVoice('gpt-sovits', { folder: scratch })
    await chmod(scratch, 0o300)
    const nobody = 65_534
    // Root may list any folder, so the test runs as another user.
    const asRoot = process.getuid?.() === 0
    if (asRoot) await chown(scratch, nobody, nobody)
    if (asRoot) process.seteuid?.(nobody)
    try {
      expect((await speak()).samples).toHaveLength(32_000)
    } finally {
      if (asRoot) process.seteuid?.(0)
      await chmod(scratch, 0o700)
    }
    expect(await readdir(scratch)).toEqual([])
  })

  it('reports an unwritable folder without its path', async () => {
    await writeFile(join(scratch, 'file'), '')
    for (const place of ['missing', 'file']) {
      setVoice('gpt-sovits', { folder: join(scratch, place) })
      await expect(speak()).rejects.toMatchObject({
        code: 6401,
        message: 'the reference cannot be written to the folder of voice_service',
        hint: expect.stringContaining('"folder_there"'),
        cause: { path: expect.stringContaining(join(scratch, place)) },
      })
    }
  })

  it('requires a shared folder on another machine', async () => {
    configureServices({ voice_service: { address: 'gpt-sovits+http://192.168.77.1:9880' } })
    await expect(speak()).rejects.toMatchObject({
      code: 6401,
      message: '192.168.77.1:9880 is on another machine and cannot read the reference',
      hint: expect.stringContaining('"folder", "folder_there"'),
      retryable: false,
    })
  })

  it('reports why a reference cannot be used', async () => {
    server.otherwise = fails(400, { message: 'tts failed', Exception: 'reference is outside 3 to 10 s' })
    await expect(speak()).rejects.toMatchObject({
      code: 6401,
      message: `${host()} refused the request (HTTP 400)`,
      hint: expect.stringMatching(/^If it cannot read the reference: Set "voice_service" to/),
    })
    expect(await readdir(scratch)).toEqual([])
  })

  it('rejects a second of silence returned after an internal failure', async () => {
    server.otherwise = bytes(encodeWav({ rate: 16_000, samples: new Float32Array(16_000) }), 'audio/wav')
    await expect(speak()).rejects.toMatchObject({
      code: 6401,
      message: `${host()} returned silence`,
      retryable: true,
    })
  })
})

describe('an OpenAI-compatible voice service', () => {
  beforeEach(() => setVoice('openai', { model: 'Qwen/Qwen3-TTS-12Hz-1.7B-Base', key: 'voice-key-0123' }))

  it('receives the reference with its transcript', async () => {
    const { samples, rate } = await speak()
    expect([samples.length, rate]).toEqual([32_000, 32_000])
    expect(server.heard[0]).toMatchObject({
      path: '/v1/audio/speech',
      headers: { authorization: 'Bearer voice-key-0123' },
    })
    const { ref_audio: audio, ...rest } = body()
    expect(rest).toEqual({
      model: 'Qwen/Qwen3-TTS-12Hz-1.7B-Base',
      input: 'Good morning.',
      language: 'English',
      task_type: 'Base',
      ref_text: '你好',
      response_format: 'wav',
      speed: 1.25,
    })
    const [, encoded = ''] = String(audio).split('data:audio/wav;base64,')
    expect(decodeWav(Buffer.from(encoded, 'base64'))).toMatchObject({ rate: 24_000 })
  })

  it('receives one request at a time', async () => {
    await using copier = openVoiceService({ scratch })
    let [now, most] = [0, 0]
    server.otherwise = (response) => {
      now += 1
      most = Math.max(most, now)
      setImmediate(() => {
        now -= 1
        response.setHeader('content-type', 'audio/wav').end(wav)
      })
    }
    await Promise.all([1, 2, 3].map(() => copier.speak(utterance, { signal })))
    expect(most).toBe(1)
  })

  it.each([
    ['nothing', bytes(Buffer.alloc(0), 'audio/wav'), 'responds without sound'],
    ['an HTML page', page(), 'responds with sound that is not a WAV file ('],
    ['JSON', json({ audio: 'UklGRg==' }), 'responds with sound that is not a WAV file ('],
    [
      'mp3',
      bytes(Buffer.from('ID3\u0004aaaaaaaaaaaaaaaa'), 'audio/mpeg'),
      'responds with sound that is not a WAV file (',
    ],
    [
      'half a file',
      bytes(wav.subarray(0, wav.length / 2), 'audio/wav'),
      'responds with sound that is cut off (',
    ],
    ['only a header', bytes(wav.subarray(0, 44), 'audio/wav'), 'responds with sound that is cut off'],
    [
      'no samples',
      bytes(encodeWav({ rate: 16_000, samples: new Float32Array(0) }), 'audio/wav'),
      'returned silence',
    ],
  ])('is rejected if it returns %s', async (_, reply, fault) => {
    server.otherwise = reply
    await expect(speak()).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining(`at ${host()} ${fault}`),
    })
  })

  it('retries after a transient failure', async () => {
    server.replies.push(fails(503), breaks(wav), fails(429, {}, { 'retry-after': '1' }))
    expect((await speak()).samples).toHaveLength(32_000)
    expect(server.heard).toHaveLength(4)
  })
})
