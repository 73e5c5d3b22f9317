import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MediaError } from '../../../src/contract/errors.ts'
import type { StagedFile } from '../../../src/contract/operation.ts'
import { openLineVoice } from '../../../src/engines/dubbing/line-voice.ts'
import { prepareSpeakerReferences } from '../../../src/engines/dubbing/speaker-references.ts'
import { configureServices } from '../../../src/engines/services/configured.ts'
import type { Recogniser, VoiceReference } from '../../../src/engines/speech/speech-engines.ts'
import { encodeWav } from '../../../src/media/audio/wav.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { bytes, type FakeService, fails, startFakeService } from '../services/fake-service.ts'

const folder = await scratchFolder()
const { signal } = new AbortController()
let count = 0
let steps: string
let server: FakeService

const tone = (seconds: number, pitch = 9, rate = 16_000) =>
  Float32Array.from({ length: Math.round(seconds * rate) }, (_, at) => Math.sin(at / pitch) / 4)

beforeEach(async () => {
  steps = join(folder, String((count += 1)))
  await mkdir(steps)
  server = await startFakeService(bytes(encodeWav({ samples: tone(1), rate: 16_000 }), 'audio/wav'))
})
afterEach(async () => {
  configureServices({})
  await server[Symbol.asyncDispose]()
})

const bodies = () => server.heard.map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>)
const context = () => ({ scratch: steps, steps, signal })

/** A recogniser that hears these texts, one after the other. */
function hears(...texts: string[]): Recogniser {
  return {
    ...{ name: 'parrot', maxSeconds: 30 },
    recognise: async () => ({
      ...{ text: texts.shift() ?? '', words: [], timed: false, confidence: 0.9, language: null },
    }),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

describe('a voice of the catalogue', () => {
  const anna = () => ({
    language: 'de-DE',
    voice: {
      ...{ voice_id: 'anna', name: 'Anna', languages: ['de-DE'] },
      service: { address: `${server.origin}/v1`, model: 'kokoro', voice: 'af_heart', key: 'sk-voice' },
    },
  })

  it('speaks all speakers, and each line once, also in the next attempt', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await using voice = await openLineVoice(anna(), context())
      expect(voice.name).toBe(`kokoro at ${new URL(server.origin).host}`)
      const spoken = await voice.speak('Guten Tag.', { speaker: attempt, signal })
      expect([spoken.samples.length, spoken.rate, spoken.lostShare]).toEqual([16_000, 16_000, undefined])
    }
    expect(bodies()).toEqual([expect.objectContaining({ input: 'Guten Tag.', voice: 'af_heart' })])
    const files = await readdir(steps)
    expect(files).toEqual([expect.stringMatching(/^line-[0-9a-f]{16}-16000-0-0\.f32$/)])
  })

  it('speaks a line again of which an earlier version kept no shares of words', async () => {
    const speak = async () => {
      await using voice = await openLineVoice(anna(), context())
      return await voice.speak('Guten Tag.', { speaker: 0, signal })
    }
    await speak()
    const [name = ''] = await readdir(steps)
    await rename(join(steps, name), join(steps, name.replace(/-0\.f32$/, '.f32')))
    expect((await speak()).rate).toBe(16_000)
    expect(server.heard).toHaveLength(2)
  })

  it('is not asked again for a text that it refuses, but where it fails', async () => {
    const speak = async (text: string) => {
      await using voice = await openLineVoice(anna(), context())
      return await voice.speak(text, { speaker: 0, signal })
    }
    server.replies.push(fails(400, { error: 'unsupported text' }))
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(speak('Guten Tag.')).rejects.toMatchObject({ code: 6401, retryable: false })
    expect(server.heard).toHaveLength(1)
    const { otherwise } = server
    server.otherwise = fails(503)
    await expect(speak('Guten Abend.')).rejects.toMatchObject({ retryable: true })
    server.otherwise = otherwise
    expect((await speak('Guten Abend.')).rate).toBe(16_000)
  })

  it('speaks a line again whose words are not recognised', async () => {
    const listener = hears('Guten', 'Guten Tag zusammen')
    await using voice = await openLineVoice(anna(), { ...context(), listener })
    const text = 'Guten Tag zusammen, liebe Leute.'
    const { lostShare } = await voice.speak(text, { speaker: 0, signal })
    expect(server.heard).toHaveLength(3)
    expect(lostShare).toBeCloseTo(0.4, 1)
  })

  it('is not asked again for speech whose check was interrupted', async () => {
    const [text, ended] = ['Guten Tag zusammen.', new Error('the attempt ended')]
    const interrupted = { ...hears(), recognise: () => Promise.reject(ended) }
    await using first = await openLineVoice(anna(), { ...context(), listener: interrupted })
    await expect(first.speak(text, { speaker: 0, signal })).rejects.toBe(ended)
    await using next = await openLineVoice(anna(), { ...context(), listener: hears(text) })
    expect((await next.speak(text, { speaker: 0, signal })).samples).toHaveLength(16_000)
    expect(server.heard).toHaveLength(1)
    expect(await readdir(steps)).toEqual([expect.stringMatching(/^line-/)])
  })

  it('speaks a line once whose check fails', async () => {
    const failing = { ...hears(), recognise: () => Promise.reject(new MediaError(6401, 'it rejects sound')) }
    await using voice = await openLineVoice(anna(), { ...context(), listener: failing })
    expect(await voice.speak('Guten Tag.', { speaker: 0, signal })).not.toHaveProperty('lostShare')
    expect(server.heard).toHaveLength(1)
  })

  it('speaks a line again that is spoken twice, and names words that stay', async () => {
    const text = 'Guten Tag zusammen, liebe Leute.'
    await using fine = await openLineVoice(anna(), { ...context(), listener: hears(`${text} ${text}`, text) })
    expect(await fine.speak(text, { speaker: 0, signal })).not.toHaveProperty('addedShare')
    expect(server.heard).toHaveLength(2)
    const twice = `${text} Und noch ein anderer langer Satz.`
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const listener = hears(twice, twice, twice)
      await using voice = await openLineVoice(anna(), { ...context(), listener })
      const { lostShare, addedShare } = await voice.speak(`Ja, ${text}`, { speaker: 0, signal })
      expect(lostShare).toBeUndefined()
      expect(addedShare).toBeCloseTo(0.55, 1)
    }
    expect(server.heard).toHaveLength(5)
  })
})

describe('cloned voices', () => {
  const reference = (text: string): VoiceReference => ({
    ...{ samples: tone(4), rate: 16_000, text, language: 'zh-CN' },
  })

  beforeEach(() => configureServices({ voice_service: { address: `openai+${server.origin}/v1` } }))

  it('speak each line with the reference of its speaker', async () => {
    const references = new Map([
      [1, reference('主要')],
      [0, reference('其他')],
    ])
    await using voice = await openLineVoice({ language: 'en-US', references }, context())
    for (const speaker of [0, 1, 2]) await voice.speak('Hello.', { speaker, signal })
    expect(bodies().map(({ ref_text, language }) => [ref_text, language])).toEqual([
      ['其他', 'English'],
      ['主要', 'English'],
    ])
  })

  it('of a recording of the catalogue have its reference', async () => {
    const path = join(steps, 'bert.wav')
    await writeFile(path, encodeWav({ samples: tone(4), rate: 16_000 }))
    const recording = { path, text: 'This is my voice.', language: 'en-US' as const }
    const voice = { voice_id: 'bert', name: 'Bert', languages: ['ja-JP'], recording }
    await using opened = await openLineVoice({ voice, language: 'ja-JP' }, context())
    await opened.speak('こんにちは。', { speaker: 3, signal })
    expect(bodies()).toMatchObject([
      { ref_text: 'This is my voice.', language: 'Japanese', input: 'こんにちは。' },
    ])
  })
})

describe('references of speakers', () => {
  /** A file in which speaker 0 speaks 0 to 2 s, speaker 1 from 2.2 to 8 s. */
  const recording = async (): Promise<StagedFile> => {
    const path = join(steps, 'talk.wav')
    await writeFile(path, encodeWav({ samples: tone(9), rate: 16_000 }))
    return { ...{ file_id: '1', name: 'talk.wav', size: 1, kind: 'audio', facts: null }, path, blake3: 'ab' }
  }
  const activity = {
    speech: [{ start: 0, end: 8 }],
    turns: [
      { speaker: 0, start: 0, end: 2 },
      { speaker: 1, start: 2.2, end: 8 },
    ],
    notes: [],
  }
  const options = (recogniser: Recogniser) => ({
    ...({ activity, language: 'en-US', recogniser, steps, signal } as const),
    speakers: [1, 0],
  })

  it('are from speech of one speaker, kept for the next attempt', async () => {
    const file = await recording()
    const first = await prepareSpeakerReferences(file, options(hears('what the second speaker says')))
    expect([...first.prepared.keys()]).toEqual([1])
    const prepared = first.prepared.get(1)
    expect(prepared).toMatchObject({ language: 'en-US', confidence: 0.9, recogniser: 'parrot' })
    expect(prepared?.span.start).toBeGreaterThanOrEqual(2)
    expect(prepared?.span.end).toBeLessThanOrEqual(8.1)
    expect(first.notes).toEqual([
      'the voices of 1 of 2 speakers cannot be cloned from the recording: the voice of the main speaker speaks their lines',
    ])
    const again = await prepareSpeakerReferences(file, options(hears()))
    expect(again).toEqual(first)
  })

  it('are an error if nobody has one: it names the rule that the main speaker does not meet', async () => {
    const file = await recording()
    await expect(prepareSpeakerReferences(file, options(hears()))).rejects.toMatchObject({
      code: 6016,
      message: 'file_id: talk.wav is not a usable reference: its speech was not recognised',
      hint: 'Give ref_file_id, a clearer recording of the voice, with ref_lang.',
    })
  })
})
