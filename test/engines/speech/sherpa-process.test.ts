import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EnginePack } from '../../../src/engines/packs/manifest.ts'
import type { VoiceCloner } from '../../../src/engines/speech/speech-engines.ts'
import { startSherpaProcess, type SherpaProcess } from '../../../src/engines/speech/sherpa/process.ts'
import { localRecogniserModels, openLocalRecogniser } from '../../../src/engines/speech/sherpa/recogniser.ts'
import { openZipvoice } from '../../../src/engines/speech/sherpa/zipvoice.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { neverAborted, useSpeechPacks } from './recordings.ts'
import { createFakeSherpaPack } from './fake-sherpa.ts'
import { writeFakePack } from './fake-speech-models.ts'

const folder = await scratchFolder()

let engine: EnginePack
beforeAll(async () => {
  engine = await createFakeSherpaPack(folder)
})

/** Configures a fake model: behaviour when loaded, and result of each request. */
async function usingModel(onLoad: string, onRequest: string): Promise<void> {
  const files = { 'sense.model.onnx': onLoad, 'sense.tokens.txt': onRequest }
  const packs = await writeFakePack(join(folder, 'mirror'), 'sense-voice', files)
  useSpeechPacks(folder, { ...packs, 'sherpa-onnx': engine }, join(folder, 'mirror'))
}

const [senseVoice] = localRecogniserModels
const second = new Float32Array(16_000)

async function recognise(answer: unknown) {
  await usingModel('opens', typeof answer === 'string' ? answer : JSON.stringify(answer))
  if (!senseVoice) throw new TypeError('no recogniser')
  await using recogniser = await openLocalRecogniser(senseVoice, { signal: neverAborted })
  return await recogniser.recognise(second, { signal: neverAborted })
}

describe('a recogniser', () => {
  it('returns words with times, which are distributed if the model reports none, or only those of segments', async () => {
    // The results of successive requests.
    const results = [
      {
        text: '<|en|><|NEUTRAL|> hello world',
        lang: '<|en|>',
        tokens: ['▁hel', 'lo', '▁world'],
        timestamps: [0.1, 0.3, 0.6],
        ys_log_probs: [-0.1, -0.2, -0.3],
      },
      { text: '你好 world' },
      {
        text: ' one two. three',
        segment_texts: [' one two.', ' three', ' thanks'],
        segment_timestamps: [0.2, 0.7, 1.5],
        segment_durations: [0.4, 5, 2],
      },
    ]
    await usingModel('opens', JSON.stringify(results.map((result) => [result])))
    if (!senseVoice) throw new TypeError('no recogniser')
    await using recogniser = await openLocalRecogniser(senseVoice, { signal: neverAborted })
    const recogniseNext = () => recogniser.recognise(second, { signal: neverAborted })
    const timed = await recogniseNext()
    expect(timed).toMatchObject({ text: 'hello world', language: 'en', timed: true })
    expect(timed.words.map(({ text }) => text)).toEqual(['hello', 'world'])
    expect(timed.words[0]).toMatchObject({ start: 0.1, end: 0.6 })
    // Each model has another scale.
    expect(timed.confidence).toBeNull()

    const untimed = await recogniseNext()
    expect(untimed).toMatchObject({ timed: false, confidence: null, language: null })
    expect(untimed.words.map(({ text }) => text)).toEqual(['你', '好', 'world'])
    expect(untimed.words.at(-1)?.end).toBeCloseTo(1, 5)

    const segmented = await recogniseNext()
    expect(segmented.timed).toBe(false)
    expect(segmented.words.map(({ text, start, end }) => [text, start.toFixed(2), end.toFixed(2)])).toEqual([
      ['one', '0.20', '0.38'],
      ['two.', '0.38', '0.60'],
      ['three', '0.70', '1.00'],
    ])
  })

  it('is reloaded for another language', async () => {
    await usingModel('opens', 'language')
    if (!senseVoice) throw new TypeError('no recogniser')
    await using recogniser = await openLocalRecogniser(senseVoice, {
      signal: neverAborted,
      language: 'zh-HK',
    })
    expect(await recogniser.recognise(second, { signal: neverAborted })).toMatchObject({ language: 'yue' })
    const options = { signal: neverAborted, language: 'ja-JP' }
    expect(await recogniser.recognise(second, options)).toMatchObject({ language: 'ja' })
  })

  it('rejects impossible results with the name of the model', async () => {
    const impossible = [
      // Times out of order.
      [{ text: 'a b', tokens: ['▁a', '▁b'], timestamps: [0.9, 0.1] }, 'before the previous word'],
      [{ text: 'a', tokens: ['▁a'], timestamps: [7] }, 'outside the sound'],
      [{ text: 'a', tokens: ['▁a'], timestamps: [-3] }, 'outside the sound'],
      [{ text: 'a', tokens: ['▁a'], timestamps: [null] }, 'unknown form'],
      [[1, 2], 'unknown form'],
    ] as const
    // The results of successive requests.
    await usingModel('opens', JSON.stringify(impossible))
    if (!senseVoice) throw new TypeError('no recogniser')
    await using recogniser = await openLocalRecogniser(senseVoice, { signal: neverAborted })
    for (const [result, why] of impossible)
      await expect(
        recogniser.recognise(second, { signal: neverAborted }),
        JSON.stringify(result),
      ).rejects.toMatchObject({
        code: 6402,
        retryable: false,
        message: expect.stringMatching(new RegExp(`sherpa-onnx .* sense-voice .*${why}`)),
      })
  })

  it('reports an engine that exits, crashes or throws, without ending this process', async () => {
    const failures = [
      // With the last output of the engine.
      [
        'exit',
        /sherpa-onnx with the model sense-voice exited with 255/,
        { cause: { message: 'metadata are missing' } },
      ],
      ['crash', /exited with SIGABRT/, {}],
      ['throw', /failed: Error: no such file/, {}],
    ] as const
    for (const [behaviour, message, cause] of failures) {
      await expect(recognise(behaviour), behaviour).rejects.toMatchObject({
        code: 6402,
        message: expect.stringMatching(message),
        ...cause,
      })
      await usingModel(behaviour, '')
      if (!senseVoice) throw new TypeError('no recogniser')
      await expect(
        openLocalRecogniser(senseVoice, { signal: neverAborted }),
        behaviour,
      ).rejects.toMatchObject({
        code: 6401,
        retryable: false,
        message: expect.stringMatching(/the model sense-voice cannot be loaded: /),
      })
    }
    expect(await recognise({ text: 'well' })).toMatchObject({ text: 'well' })
  })
})

const question = { samples: new Float32Array(16), rate: 16_000 }

describe('a sherpa-onnx process', () => {
  beforeEach(() => usingModel('opens', 'hang'))

  async function start(limits: { timeoutMs?: number; stallMs?: number } = {}): Promise<SherpaProcess> {
    const settings = {
      modelConfig: {
        senseVoice: { model: join(folder, 'mirror', 'sense.model.onnx'), language: '' },
        tokens: join(folder, 'mirror', 'sense.tokens.txt'),
      },
    }
    const options = { signal: neverAborted, ...limits }
    return await startSherpaProcess({ model: 'slow', kind: 'recogniser', settings }, options)
  }

  it('is killed after a timeout', async () => {
    await using sherpa = await start({ timeoutMs: 300 })
    await expect(sherpa.request(question, neverAborted)).rejects.toMatchObject({
      code: 6402,
      retryable: true,
      message: expect.stringMatching(/the model slow did not reply within \d+ s/),
    })
    await expect(sherpa.request(question, neverAborted)).rejects.toMatchObject({ code: 6402 })
  })

  it('is killed if it makes no progress, long before its timeout', async () => {
    await usingModel('opens', 'sleep')
    await using sherpa = await start({ stallMs: 900 })
    await expect(sherpa.request(question, neverAborted)).rejects.toMatchObject({
      code: 6402,
      retryable: true,
      message: expect.stringMatching(/the model slow made no progress for \d+ s/),
    })
  })

  it('is killed on abort, with the reason of the signal', async () => {
    await using sherpa = await start()
    const enough = new AbortController()
    const asked = sherpa.request(question, enough.signal)
    enough.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })
})

describe('a voice', () => {
  /** Configures a fake voice with this behaviour. */
  async function usingVoice(answer: string): Promise<void> {
    const names = ['vocos_24khz.onnx', 'encoder.onnx', 'decoder.int8.onnx', 'lexicon.txt', 'espeak-ng-data']
    const files = { ...Object.fromEntries(names.map((name) => [name, 'opens'])), 'tokens.txt': answer }
    const packs = await writeFakePack(join(folder, 'mirror'), 'zipvoice', files)
    useSpeechPacks(folder, { ...packs, 'sherpa-onnx': engine }, join(folder, 'mirror'))
  }

  /** A voice that behaves as the text says, if it is a behaviour. */
  let copier: VoiceCloner
  beforeAll(async () => {
    await usingVoice('text')
    copier = await openZipvoice(neverAborted)
  })
  afterAll(() => copier[Symbol.asyncDispose]())

  async function speak(text: string, language = 'en-US') {
    const reference = { samples: new Float32Array(7), rate: 48_000, text: 'four', language: 'en-US' }
    return await copier.speak({ text, language, reference, speed: 1.5 }, { signal: neverAborted })
  }

  it('speaks in the voice of a reference', async () => {
    const { samples, rate } = await speak('hello')
    expect(rate).toBe(24_000)
    const expected = [5, 7, 0.048, 4, 1.5]
    for (const [at, value] of expected.entries()) expect(samples[at]).toBeCloseTo(value, 5)
  })

  it('rejects unsupported languages', async () => {
    await expect(speak('hello', 'ja-JP')).rejects.toMatchObject({
      code: 6401,
      hint: expect.stringContaining('voice_service'),
    })
  })

  it.each([
    ['silence', 'the speech is silent'],
    ['wrong', 'NaN'],
    ['nothing', 'the speech is silent'],
    // The last one, as it ends the process.
    ['exit', 'exited with 255'],
  ])('rejects %s', async (text, why) => {
    await expect(speak(text)).rejects.toMatchObject({ code: 6402, message: expect.stringContaining(why) })
  })

  it('has a timeout that grows with the text', async () => {
    const zipvoice = { tokens: join(folder, 'mirror', 'tokens.txt') }
    const opening = { model: 'zipvoice', kind: 'voice', settings: { model: { zipvoice } } } as const
    const asked = (text: string) => ({ ...question, speak: { text, reference: '', speed: 2 } })
    await usingVoice('slow')
    await using sherpa = await startSherpaProcess(opening, { signal: neverAborted, timeoutMs: 1 })
    expect(await sherpa.request(asked('A long text.'), neverAborted)).toMatchObject({ sampleRate: 24_000 })
    await usingVoice('hang')
    await expect(sherpa.request(asked('.'), neverAborted)).rejects.toMatchObject({
      code: 6402,
      message: expect.stringMatching(/did not reply within 1 s/),
    })
  })
})
