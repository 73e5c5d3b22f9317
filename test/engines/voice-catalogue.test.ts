import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { configSecrets, readConfig, takeWorkerServices, workerEnvironment } from '../../src/config/config.ts'
import { privateFolders } from '../../src/config/private-folders.ts'
import { dataFiles } from '../../src/daemon/data-files.ts'
import { examineServices } from '../../src/doctor/services.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { requireAll, requireNamedVoice } from '../../src/engines/readiness.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import type { CatalogueVoice } from '../../src/engines/services/services.ts'
import { openSpeakingService } from '../../src/engines/speech/speaking-service.ts'
import { readVoiceRecording, requireVoiceInLanguage } from '../../src/engines/voice/catalogue.ts'
import { encodeWav } from '../../src/media/audio/wav.ts'
import { scratchFolder } from './ffmpeg/generate-media.ts'
import { bytes, fails, type FakeService, json, startFakeService } from './services/fake-service.ts'

const folder = await scratchFolder()
const { signal } = new AbortController()

/** A tone, seconds long, with -12 dBFS. */
const tone = (seconds: number, rate = 24_000) => ({
  rate,
  samples: Float32Array.from({ length: seconds * rate }, (_, at) => Math.sin(at / 9) / 4),
})

let server: FakeService
beforeEach(async () => {
  server = await startFakeService(bytes(encodeWav(tone(1)), 'audio/wav'))
  configurePacks({ folder: join(folder, 'packs'), automatic: true, own: {}, manifest })
})
afterEach(async () => {
  configureServices({})
  await server[Symbol.asyncDispose]()
})

const service = () => ({
  address: `${server.origin}/v1`,
  model: 'kokoro',
  voice: 'af_heart',
  key: 'sk-voice',
})

const anna = (): CatalogueVoice => ({
  ...{ voice_id: 'anna', name: 'Anna', languages: ['de-DE', 'en-US', 'zh-CN'] },
  service: service(),
})

async function recorded(seconds: number, languages: string[] = ['en-US', 'ja-JP']): Promise<CatalogueVoice> {
  const path = join(folder, `voice-${seconds}.wav`)
  await writeFile(path, encodeWav(tone(seconds)))
  const recording = { path, text: 'This is my voice.', language: 'en-US' as const }
  return { voice_id: 'bert', name: 'Bert', languages, recording }
}

describe('the setting voices', () => {
  const read = async (voices: unknown) => {
    await writeFile(join(folder, dataFiles.settings), JSON.stringify({ voices }))
    return await readConfig({ dataDir: folder, environment: {} })
  }

  it('keeps how voices are spoken apart from what callers see', async () => {
    const bert = await recorded(4)
    const relative = { ...bert, recording: { ...bert.recording, path: 'voice-4.wav' } }
    const config = await read([anna(), relative])
    expect(config.voices).toEqual([
      { voice_id: 'anna', name: 'Anna', languages: ['de-DE', 'en-US', 'zh-CN'] },
      { voice_id: 'bert', name: 'Bert', languages: ['en-US', 'ja-JP'] },
    ])
    expect(config.services.voices).toEqual([anna(), bert])
    expect(configSecrets(config)).toContain('sk-voice')
    expect(privateFolders(config)).toContainEqual({
      path: bert.recording?.path,
      use: 'recording of a voice',
    })
    const environment = workerEnvironment(config.services)
    for (const [name, value] of Object.entries(environment))
      if (value?.includes('sk-voice')) process.env[name] = value
    expect(takeWorkerServices()).toEqual(config.services)
  })

  it.each([
    ['without what speaks it', { service: undefined }, '[0]: needs either service or recording'],
    [
      'with both',
      { recording: { path: 'a.wav', text: 'A.', language: 'en-US' } },
      '[0]: needs either service or recording',
    ],
    [
      'with a recording and a language that no voice is cloned in',
      { service: undefined, recording: { path: 'a.wav', text: 'A.', language: 'en-US' } },
      '[0].languages: a recording speaks zh-CN, zh-HK',
    ],
    [
      'with a service outside of this network',
      { service: { address: 'http://example.com/v1', voice: 'a' } },
      '[0].service.address: must be an https address',
    ],
    [
      'without the name of the voice',
      { service: { address: 'http://127.0.0.1:1/v1' } },
      '[0].service.voice: ',
    ],
  ])('rejects a voice %s', async (_, change, message) => {
    await expect(read([{ ...anna(), ...change }])).rejects.toThrow(message)
  })
})

describe('a voice of the catalogue', () => {
  it.each([
    ['en-US', 'en-US'],
    ['zh-CHT', 'zh-CN'],
    ['zh-CHS', 'zh-CN'],
  ])('speaks %s as %s', (language, spoken) => {
    configureServices({ voices: [anna()] })
    expect(requireVoiceInLanguage('anna', language)).toMatchObject({ language: spoken })
  })

  it('does not speak other languages: the error lists its own', async () => {
    configureServices({ voices: [anna()] })
    await expect(
      requireNamedVoice([{ kind: 'catalogue-voice', id: 'anna', language: 'fr-FR' }]),
    ).rejects.toMatchObject({
      code: 6017,
      message: 'target_lang: the voice anna does not support "fr-FR"',
      hint: 'Use de-DE, en-US or zh-CN.',
    })
  })

  it.each([
    ['de-DE', 'Use a voice for de-DE: anna (de-DE, en-US, zh-CN).'],
    ['en-US', 'Use clone, or a voice for en-US: anna (de-DE, en-US, zh-CN).'],
    ['zh-CHT', 'Use clone, or a voice for zh-CHT: anna (de-DE, en-US, zh-CN).'],
    ['ja-JP', 'Use clone. No voice is set for ja-JP; there are anna (de-DE, en-US, zh-CN). GET /base/voices'],
    [
      'fr-FR',
      'Clone does not speak fr-FR, and no voice is set for it; there are anna (de-DE, en-US, zh-CN). The operator must',
    ],
  ])('that is unknown is rejected with the voices for %s', async (language, hint) => {
    configureServices({ voices: [anna()] })
    await expect(requireNamedVoice([{ kind: 'catalogue-voice', id: 'bob', language }])).rejects.toMatchObject(
      {
        code: 6016,
        message: 'speaker: there is no voice "bob"',
        hint: expect.stringContaining(hint),
      },
    )
  })

  it('is spoken by its service, by name', async () => {
    configureServices({ voices: [anna()] })
    const engines = await requireAll([{ kind: 'catalogue-voice', id: 'anna', language: 'de-DE' }])
    expect([...engines.values()]).toEqual([`kokoro at ${new URL(server.origin).host}`])
    await using speaker = openSpeakingService(service())
    const { samples, rate } = await speaker.speak('Guten Tag.', { signal })
    expect([samples.length, rate]).toEqual([24_000, 24_000])
    expect(server.heard[0]).toMatchObject({
      path: '/v1/audio/speech',
      headers: { authorization: 'Bearer sk-voice' },
    })
    expect(JSON.parse(String(server.heard[0]?.body))).toEqual({
      ...{ model: 'kokoro', input: 'Guten Tag.', voice: 'af_heart', response_format: 'wav' },
    })
  })

  it.each([
    ['refuses its key', fails(401), 6401, /refused its key/, 'Set "key" in "service" of the voice'],
    ['has no such voice', fails(404), 6401, /no such model or endpoint/, 'Check "service" of the voice'],
    ['is busy', fails(503), 6402, /is busy/, 'Try again'],
    ['responds with JSON', json({}), 6401, /responds with sound that/, 'Check "service" of the voice'],
  ])('whose service %s fails with the setting to correct', async (_, reply, code, message, hint) => {
    server.otherwise = reply
    await using speaker = openSpeakingService(service(), { pause: async () => undefined })
    await expect(speaker.speak('Guten Tag.', { signal })).rejects.toMatchObject({
      ...{ code, message: expect.stringMatching(message) as string },
      hint: expect.stringContaining(hint) as string,
    })
  })

  it('with a recording requires an engine that clones it, and the recording', async () => {
    const bert = await recorded(4)
    configureServices({ voices: [bert] })
    const requirement = (language: string) => [{ kind: 'catalogue-voice', id: 'bert', language } as const]
    await expect(requireAll(requirement('en-US'))).rejects.toMatchObject({
      ...{ code: 6401, hint: 'reelwright models pull zipvoice' },
    })
    await expect(requireAll(requirement('ja-JP'))).rejects.toMatchObject({
      ...{ code: 6401, hint: expect.stringContaining('voice_service') as string },
    })
    const voice_service = { address: 'gpt-sovits+http://127.0.0.1:9' }
    configureServices({ voices: [bert], voice_service })
    expect([...(await requireAll(requirement('ja-JP'))).values()]).toEqual(['127.0.0.1:9'])
    const gone = {
      ...bert,
      recording: { ...bert.recording, path: join(folder, 'gone.wav') },
    } as CatalogueVoice
    configureServices({ voices: [gone], voice_service })
    await expect(requireAll(requirement('ja-JP'))).rejects.toMatchObject({
      ...{ code: 6401, message: 'the recording of the voice bert is missing: there is no file gone.wav' },
    })
  })

  it('has a recording of 3 to 10 s, at the level of references', async () => {
    const { samples, rate, text, language } = await readVoiceRecording(await recorded(4), signal)
    expect([samples.length / rate, text, language]).toEqual([4, 'This is my voice.', 'en-US'])
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
    expect(10 * Math.log10(power)).toBeCloseTo(-20, 0)
    for (const [seconds, length] of [
      [2.98, 'less than 3 s'],
      [12, 'more than 10 s'],
    ] as const) {
      await expect(readVoiceRecording(await recorded(seconds), signal)).rejects.toMatchObject({
        message: `the recording of the voice bert lasts ${length}, not 3 to 10 s`,
        hint: expect.stringContaining('3 to 10 s of clear speech') as string,
      })
    }
  })
})

it('doctor checks each service of voices once, and each recording', async () => {
  const other = await startFakeService(fails(403))
  onTestFinished(() => other[Symbol.asyncDispose]())
  const voices = [
    anna(),
    { ...anna(), voice_id: 'amy' },
    { ...anna(), voice_id: 'ada', service: { ...service(), address: `${other.origin}/v1` } },
    await recorded(4),
    { ...(await recorded(2)), voice_id: 'bo' },
  ]
  const findings = (await examineServices({ voices })).filter(({ name }) => /^voices? (?!service)/.test(name))
  expect(findings).toMatchObject([
    { name: 'voices anna, amy', state: 'ok' },
    { name: 'voices ada', state: 'note', fix: expect.stringContaining('Set "key" in "service"') as string },
    { name: 'voice bert', state: 'ok', detail: expect.stringContaining('en-US, ja-JP') as string },
    { name: 'voice bo', state: 'note', detail: expect.stringContaining('lasts less than 3 s') as string },
  ])
  expect(server.heard).toHaveLength(1)
})
