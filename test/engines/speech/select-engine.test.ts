import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { installPack } from '../../../src/engines/packs/install.ts'
import { modelSha256 } from '../../../src/engines/packs/sha256.ts'
import { configuredPacks, configurePacks } from '../../../src/engines/packs/resolve.ts'
import { configureServices } from '../../../src/engines/services/configured.ts'
import {
  selectVoiceCloner,
  selectLanguageIdentifier,
  selectRecogniser,
  selectSeparator,
} from '../../../src/engines/speech/select-engine.ts'
import { writeModelFile, constantFlowModel } from '../vision/fake-models.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { useSpeechPacks } from './recordings.ts'
import { writeFakePack, stem, whisperDecoder, whisperEncoder } from './fake-speech-models.ts'

const folder = await scratchFolder()
let count = 0
let dataDir: string

beforeEach(() => {
  configureServices({})
  dataDir = join(folder, String((count += 1)))
  useSpeechPacks(dataDir, {}, join(dataDir, 'mirror'))
})

/** Installs packs with placeholder files. */
async function install(
  ...names: ('sense-voice' | 'parakeet' | 'whisper-tiny' | 'zipvoice' | 'voice-separation')[]
) {
  let fakes = {}
  for (const name of names) {
    fakes = {
      ...fakes,
      ...(await writeFakePack(join(dataDir, 'mirror'), name, { [`${name}.onnx`]: stem(0, 1) })),
    }
  }
  useSpeechPacks(dataDir, fakes, join(dataDir, 'mirror'))
  const packs = configuredPacks()
  for (const name of names) if (packs) await installPack(packs, name)
}

const missing = (name: string) => ({
  code: 6401,
  retryable: false,
  hint: `reelwright models pull ${name}`,
})

describe('without installed models', () => {
  beforeEach(() => configurePacks({ folder: join(dataDir, 'packs'), automatic: true, own: {}, manifest }))

  it.each(['zh-CN', 'zh-CHT', 'zh-HK', 'en-US', 'ja-JP', 'ko-KR'])(
    '%s requires SenseVoice',
    async (language) => {
      await expect(selectRecogniser(language)).rejects.toMatchObject(missing('sense-voice'))
    },
  )
  it.each(['fr-FR', 'de-DE', 'es-MX', 'pt-BR', 'ru-RU'])('%s requires Parakeet', async (language) => {
    await expect(selectRecogniser(language)).rejects.toMatchObject(missing('parakeet'))
  })
  it.each(['th-TH', 'id-ID', 'ms-MY', 'fil-PH', 'ar-SA', 'vi-VN'])(
    '%s requires Whisper',
    async (language) => {
      await expect(selectRecogniser(language)).rejects.toMatchObject(missing('whisper-turbo'))
    },
  )
  it('each missing engine names one command or setting', async () => {
    await expect(selectLanguageIdentifier()).rejects.toMatchObject(missing('whisper-tiny'))
    await expect(selectVoiceCloner('zh-CN', '')).rejects.toMatchObject(missing('zipvoice'))
    for (const language of ['zh-HK', 'ja-JP', 'ko-KR']) {
      await expect(selectVoiceCloner(language, '')).rejects.toMatchObject({
        code: 6401,
        retryable: false,
        hint: expect.stringContaining('voice_service'),
      })
    }
  })
  it('falls back to the denoiser, which is downloaded on first use', async () => {
    expect(await selectSeparator()).toMatchObject({ name: 'gtcrn' })
  })
})

describe('installed models', () => {
  it('are selected, the best for a language first', async () => {
    await install('parakeet', 'whisper-tiny', 'zipvoice', 'voice-separation')
    expect(await selectRecogniser('fr-FR')).toMatchObject({ name: 'parakeet' })
    expect(await selectRecogniser('en-US')).toMatchObject({ name: 'parakeet' })
    await expect(selectRecogniser('ja-JP')).rejects.toMatchObject({ code: 6401 })
    expect(await selectLanguageIdentifier()).toMatchObject({ name: 'whisper-tiny' })
    expect(await selectVoiceCloner('en-US', '')).toMatchObject({ name: 'zipvoice' })
    expect(await selectSeparator()).toMatchObject({ name: 'spleeter' })
    await install('sense-voice', 'parakeet')
    expect(await selectRecogniser('en-US')).toMatchObject({ name: 'sense-voice' })
  })

  it('rank below models configured by the user, as folders or files', async () => {
    await install('sense-voice')
    const mirror = join(dataDir, 'whisper')
    await writeFakePack(mirror, 'whisper', {
      'small-encoder.onnx': whisperEncoder(),
      'small-decoder.onnx': whisperDecoder({}),
    })
    const packs = configuredPacks()
    if (!packs) throw new TypeError('no packs')
    configurePacks({ ...packs, own: { whisper: { path: mirror, sha256: await modelSha256(mirror) } } })
    expect(await selectRecogniser('zh-CN')).toMatchObject({ name: 'whisper' })
    expect(await selectLanguageIdentifier()).toMatchObject({ name: 'whisper' })
    configurePacks({
      ...packs,
      own: {
        whisper: { ...(await writeModelFile(dataDir, constantFlowModel(0, 0))), sha256: '0'.repeat(64) },
      },
    })
    await expect(selectRecogniser('zh-CN')).rejects.toMatchObject({ code: 6016 })
  })
})

describe('a configured service', () => {
  it('takes precedence for the languages it supports', async () => {
    await install('sense-voice', 'zipvoice')
    configureServices({
      transcription: { address: 'http://127.0.0.1:9/v1', model: 'whisper-1' },
      voice_service: { address: 'gpt-sovits+http://127.0.0.1:9' },
    })
    onTestFinished(() => configureServices({}))
    expect(await selectRecogniser('zh-CN')).toMatchObject({ name: 'whisper-1 at 127.0.0.1:9' })
    expect(await selectVoiceCloner('ja-JP', dataDir)).toMatchObject({ name: '127.0.0.1:9' })
  })
})
