import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTranscriptionService } from '../../../src/engines/speech/transcription-service.ts'
import { configureServices } from '../../../src/engines/services/configured.ts'
import { decodeWav } from '../../../src/media/audio/wav.ts'
import {
  breaks,
  bytes,
  fails,
  hangs,
  json,
  page,
  startFakeService,
  type ReceivedRequest,
  type FakeService,
} from '../services/fake-service.ts'

const { signal } = new AbortController()
const spoken = {
  task: 'transcribe',
  language: 'english',
  duration: 2,
  text: ' Hello, world.',
  words: [
    { word: 'Hello', start: 0.2, end: 0.6 },
    { word: 'world', start: 0.7, end: 1.2 },
  ],
  segments: [{ id: 0, start: 0, end: 1.5, text: ' Hello, world.', avg_logprob: Math.log(0.8) }],
}

let server: FakeService
beforeEach(async () => {
  server = await startFakeService(json(spoken))
  configureServices({ transcription: { address: `${server.origin}/v1`, model: 'whisper-1' } })
})
afterEach(() => server[Symbol.asyncDispose]())
afterAll(() => configureServices({}))

/** Two seconds of a tone. */
const sound = Float32Array.from({ length: 32_000 }, (_, at) => Math.sin(at / 20) / 2)

async function recognise(language?: string) {
  await using recogniser = openTranscriptionService({ pause: async () => undefined })
  return await recogniser.recognise(sound, { signal, ...(language !== undefined && { language }) })
}

/** Values of a form field of a request. */
function fieldsOf({ body }: ReceivedRequest, field: string): string[] {
  const pattern = new RegExp(
    String.raw`name="${field.replaceAll(/[[\]]/g, String.raw`\$&`)}"\r\n\r\n(.*)\r\n`,
    'g',
  )
  return [...body.toString('latin1').matchAll(pattern)].map(([, value = '']) => value)
}

const name = () => `whisper-1 at ${new URL(server.origin).host}`

describe('a transcription service', () => {
  it('receives the sound unchanged and returns words with times', async () => {
    await using recogniser = openTranscriptionService()
    expect(recogniser).toMatchObject({ name: name(), maxSeconds: 300 })
    expect(await recogniser.recognise(sound, { signal, language: 'en-US' })).toEqual({
      text: 'Hello, world.',
      words: [
        { text: 'Hello', start: 0.2, end: 0.6 },
        { text: 'world', start: 0.7, end: 1.2 },
      ],
      timed: true,
      confidence: expect.closeTo(0.8),
      language: 'en',
    })
    const [heard] = server.heard
    if (!heard) throw new Error('no request was received')
    expect(heard.path).toBe('/v1/audio/transcriptions')
    expect(fieldsOf(heard, 'model')).toEqual(['whisper-1'])
    expect(fieldsOf(heard, 'language')).toEqual(['en'])
    expect(fieldsOf(heard, 'response_format')).toEqual(['verbose_json'])
    expect(fieldsOf(heard, 'timestamp_granularities[]')).toEqual(['word', 'segment'])
    const start = heard.body.indexOf('RIFF')
    const wav = decodeWav(heard.body.subarray(start, heard.body.indexOf('\r\n--', start + 64_044)))
    expect([wav.rate, wav.samples.length]).toEqual([16_000, 32_000])
    expect(wav.samples[1000]).toBeCloseTo(sound[1000] ?? 0, 3)
  })

  it.each([
    ['fil-PH', 'tl'],
    ['zh-CHT', 'zh'],
    ['zh-HK', 'yue'],
    ['pt-BR', 'pt'],
    [undefined, undefined],
  ])('receives the language %s as %s', async (language, sent) => {
    await recognise(language)
    expect(server.heard.flatMap((heard) => fieldsOf(heard, 'language'))).toEqual(
      sent === undefined ? [] : [sent],
    )
  })

  it('receives Cantonese as Chinese where it refuses the code of Cantonese, which it gets only once', async () => {
    server.otherwise = (response, heard) =>
      (fieldsOf(heard, 'language')[0] === 'yue' ? fails(400, { error: 'no' }) : json(spoken))(response, heard)
    expect(await recognise('zh-HK')).toMatchObject({ text: 'Hello, world.', timed: true })
    const before = server.heard.length
    await recognise('zh-HK')
    expect(server.heard.slice(before).map((heard) => fieldsOf(heard, 'language'))).toEqual([['zh']])
  })

  it.each([
    ['english', 'en'],
    ['Chinese', 'zh'],
    ['cantonese', 'yue'],
    ['myanmar', 'my'],
    ['norwegian', 'no'],
    ['tagalog', 'tl'],
    ['korean', 'ko'],
    ['portuguese', 'pt'],
    ['malay', 'ms'],
    ['haitian creole', 'ht'],
    ['hawaiian', 'haw'],
    ['pt-BR', 'pt'],
    ['yue', 'yue'],
    ['klingon', 'klingon'],
    ['', null],
  ])('has its language %j mapped to %s', async (language, code) => {
    server.otherwise = json({ ...spoken, language })
    expect((await recognise()).language).toBe(code)
  })

  it('may return words within segments, with confidence', async () => {
    const words = [
      { word: ' Hello,', start: 0.2, end: 0.6, probability: 0.9 },
      { word: ' ', start: 0.6, end: 0.6, probability: 0.9 },
      { word: ' world.', start: '0.7', end: '1.2', probability: 0.6 },
    ]
    server.otherwise = json({ text: 'Hello, world.', segments: [{ start: 0, end: 1.5, text: '', words }] })
    expect(await recognise()).toMatchObject({
      words: [{ text: 'Hello,' }, { text: 'world.', start: 0.7, end: 1.2 }],
      timed: true,
      confidence: expect.closeTo(0.8),
      language: null,
    })
  })

  it('returns Chinese by characters', async () => {
    server.otherwise = json({ text: '你好', words: [{ word: '你好', start: 0.5, end: 1.5 }] })
    expect((await recognise()).words).toEqual([
      { text: '你', start: 0.5, end: 1 },
      { text: '好', start: 1, end: 1.5 },
    ])
  })

  it.each([
    [
      'of segments',
      {
        text: 'a b',
        segments: [
          { start: 0.5, end: 1, text: 'a' },
          { start: 1, end: 2.4, text: 'b' },
        ],
      },
      [0.5, 1, 1, 2],
    ],
    ['of nothing', { text: 'a b' }, [0, 1, 1, 2]],
    [
      'in nanoseconds',
      {
        text: 'a b',
        segments: [
          { start: 5e8, end: 1e9, text: 'a' },
          { start: 1e9, end: 15e8, text: 'b' },
        ],
      },
      [0.5, 1, 1, 1.5],
    ],
  ])('with times only %s: times are distributed over the words', async (_, response, times) => {
    server.otherwise = json(response)
    const { words, timed } = await recognise()
    expect(timed).toBe(false)
    expect(
      words.flatMap(({ start, end }) => [start, end]).map((time) => Math.round(time * 1000) / 1000),
    ).toEqual(times)
  })

  it('returns no words for silence', async () => {
    server.otherwise = json({ text: '', language: 'english', segments: [], words: [] })
    expect(await recognise()).toEqual({ text: '', words: [], timed: false, confidence: null, language: 'en' })
  })

  it('falls back to a simpler format and remembers it', async () => {
    server.otherwise = (response, heard) =>
      (fieldsOf(heard, 'response_format')[0] === 'json'
        ? json({ text: 'Hello' })
        : fails(400, { error: 'no' }))(response, heard)
    expect(await recognise()).toMatchObject({ text: 'Hello', timed: false })
    expect(server.heard.map((heard) => fieldsOf(heard, 'timestamp_granularities[]').length)).toEqual([
      2, 0, 0,
    ])
    await recognise()
    expect(server.heard).toHaveLength(4)
  })

  it.each([
    [
      'out of order',
      [
        { word: 'b', start: 1, end: 1.5 },
        { word: 'a', start: 0, end: 0.5 },
      ],
      '"a" starts before the previous word',
    ],
    ['outside the sound', [{ word: 'a', start: 5, end: 5.5 }], '"a" is outside the sound'],
    ['reversed', [{ word: 'a', start: 1, end: 0.5 }], '"a" ends before it starts'],
  ])('is rejected if its times are %s', async (_, words, fault) => {
    server.otherwise = json({ text: 'a', words })
    await expect(recognise()).rejects.toMatchObject({
      code: 6401,
      message: `${name()} responds with an invalid transcription`,
      cause: { message: `the service said: ${fault}` },
    })
  })

  it.each([
    ['an HTML page', page()],
    ['plain text', bytes(Buffer.from('Hello'), 'text/plain')],
    ['no text', json({ words: [] })],
    ['words without times', json({ text: 'a', words: [{ word: 'a' }] })],
    ['no number for a time', json({ text: 'a', words: [{ word: 'a', start: 'NaN', end: null }] })],
  ])('is rejected if it returns %s', async (_, reply) => {
    server.otherwise = reply
    await expect(recognise()).rejects.toMatchObject({
      code: 6401,
      message: `${name()} does not respond with a transcription`,
      hint: expect.stringContaining('"transcription"'),
      retryable: false,
    })
  })

  it('retries after a transient failure', async () => {
    server.replies.push(fails(429, {}, { 'retry-after': '2' }), fails(500), breaks('{"text": "Hel'))
    expect((await recognise()).text).toBe('Hello, world.')
    expect(server.heard).toHaveLength(4)
  })

  it('reports a timeout', async () => {
    server.otherwise = hangs()
    await using recogniser = openTranscriptionService({ firstByteMs: 20 })
    await expect(recogniser.recognise(sound, { signal })).rejects.toMatchObject({
      code: 6402,
      retryable: true,
    })
  })

  it('throws if none is configured', () => {
    configureServices({})
    expect(() => openTranscriptionService()).toThrow('no transcription service is set')
  })
})
