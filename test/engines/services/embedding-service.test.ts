import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { findEmbeddingModel, openEmbeddingModel } from '../../../src/engines/embedding/open.ts'
import { openEmbeddingService } from '../../../src/engines/embedding/embedding-service.ts'
import { requireAll } from '../../../src/engines/readiness.ts'
import { configureServices } from '../../../src/engines/services/configured.ts'
import { generateMedia, scratchFolder } from '../ffmpeg/generate-media.ts'
import { fails, json, page, type Reply, startFakeService } from './fake-service.ts'

const { signal } = new AbortController()
const folder = await scratchFolder()
const image = await generateMedia(join(folder, 'a.png'), [
  '-f',
  'lavfi',
  '-i',
  'testsrc=s=64x48',
  '-frames:v',
  '1',
])

afterEach(() => configureServices({}))

/** Vectors in another order than requested, each of some numbers that depend on its index. */
function embeddings(count: number, length = 4): Reply {
  const data = Array.from({ length: count }, (_, index) => ({
    ...{ object: 'embedding', index },
    embedding: Array.from({ length }, (__, at) => (at === index % length ? 2 : 0)),
  }))
  return json({ object: 'list', data: data.toReversed(), usage: { total_tokens: 1 } })
}

async function open(dialect = '') {
  const fake = await startFakeService(fails(404))
  onTestFinished(() => fake[Symbol.asyncDispose]())
  const service = { address: `${dialect}${fake.origin}/v1`, model: 'clip', key: 'key-0123456789' }
  const model = openEmbeddingService(service, { pause: async () => undefined })
  onTestFinished(() => model[Symbol.asyncDispose]())
  const bodies = () => fake.heard.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
  return { fake, model, bodies }
}

describe('an OpenAI-compatible service', () => {
  test('embeds texts in one request, in order, filled to 1024 numbers of length 1', async () => {
    const { fake, model, bodies } = await open()
    fake.replies.push(embeddings(3))
    const vectors = await model.embedTexts(['a', 'b', 'c'], { signal })
    expect(bodies()).toEqual([{ model: 'clip', input: ['a', 'b', 'c'] }])
    const [{ path, headers } = expect.fail('no request')] = fake.heard
    expect([path, headers.authorization]).toEqual(['/v1/embeddings', 'Bearer key-0123456789'])
    expect(vectors.map((vector) => [vector.length, vector.indexOf(1)])).toEqual([
      [1024, 0],
      [1024, 1],
      [1024, 2],
    ])
    expect(model.name).toBe(`clip at ${new URL(fake.origin).host}`)
    expect(model.space).toBe('openai:clip')
  })

  test('gets the task before each text, and at most 64 texts a request', async () => {
    const { fake, model, bodies } = await open()
    fake.replies.push(embeddings(64), embeddings(1))
    const texts = Array.from({ length: 65 }, (_, index) => `${index}`)
    expect(await model.embedTexts(texts, { task: 'search_query:', signal })).toHaveLength(65)
    const inputs = bodies().map(({ input }) => input as string[])
    expect(inputs.map(({ length }) => length)).toEqual([64, 1])
    expect(inputs.flat()).toEqual(texts.map((text) => `search_query: ${text}`))
  })

  test('embeds images as chat messages, one a request, or is reported to embed texts alone', async () => {
    const { fake, model, bodies } = await open()
    fake.replies.push(embeddings(1), embeddings(1))
    expect(await model.embedImages([image, image], { signal })).toHaveLength(2)
    const url = `data:image/png;base64,${(await readFile(image)).toString('base64')}`
    const message = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] }
    const request = { model: 'clip', messages: [message] }
    expect(bodies()).toEqual([request, request])
    fake.otherwise = fails(422, { detail: 'input: field required' })
    await expect(model.embedImages([image], { signal })).rejects.toMatchObject({
      ...{ code: 6401, retryable: false },
      message: expect.stringMatching(/ does not embed images$/) as unknown,
    })
  })
})

describe('a service of Jina’s API', () => {
  test('gets texts and images as items, images as base64 of the bytes of the file', async () => {
    const { fake, model, bodies } = await open('jina+')
    fake.replies.push(embeddings(2), embeddings(2), embeddings(1))
    await model.embedTexts(['a', 'b'], { task: 'retrieval.query', signal })
    await model.embedImages([image, image], { signal })
    await model.embedTexts(['a'], { signal })
    const encoded = (await readFile(image)).toString('base64')
    const common = { model: 'clip', normalized: true, embedding_type: 'float' }
    expect(bodies()).toEqual([
      { ...common, input: [{ text: 'a' }, { text: 'b' }], task: 'retrieval.query' },
      { ...common, input: [{ image: encoded }, { image: encoded }] },
      { ...common, input: [{ text: 'a' }] },
    ])
    expect(model.space).toBe('jina:clip')
  })

  test.each([400, 422])('that does not know the task (%i) is reported with the field', async (status) => {
    const { fake, model, bodies } = await open('jina+')
    fake.replies.push(fails(status, { detail: 'validation error' }), embeddings(1))
    await expect(model.embedTexts(['a'], { task: 'search_query:', signal })).rejects.toMatchObject({
      ...{ code: 6016, retryable: false, hint: expect.stringContaining('Leave task out') as unknown },
      message: `task: clip at ${new URL(fake.origin).host} does not know "search_query:"`,
    })
    expect(bodies().map(({ task }) => task)).toEqual(['search_query:', undefined])
  })

  test.each<[string, string, Reply[]]>([
    ['the same without a task', 'classification', [fails(400), fails(400)]],
    ['texts without a task', '', [fails(422)]],
    ['the endpoint', 'classification', [fails(404)]],
  ])('that refuses %s gets 6401', async (_, task, replies) => {
    const { fake, model } = await open('jina+')
    fake.replies.push(...replies)
    await expect(model.embedTexts(['a'], { task, signal })).rejects.toMatchObject({ code: 6401 })
    expect(fake.heard).toHaveLength(replies.length)
  })

  test('gets large images in several requests', async () => {
    const { fake, model, bodies } = await open('jina+')
    const large = join(folder, 'large.png')
    // Decoders ignore what follows the picture.
    await writeFile(large, Buffer.concat([await readFile(image), Buffer.alloc(3 * 2 ** 20)]))
    fake.replies.push(embeddings(2), embeddings(3))
    expect(await model.embedImages([large, large, large, large, image], { signal })).toHaveLength(5)
    expect(bodies().map(({ input }) => (input as unknown[]).length)).toEqual([2, 3])
  })

  test('never gets what is no image', async () => {
    const { fake, model } = await open('jina+')
    const text = join(folder, 'text.jpg')
    await writeFile(text, 'just text')
    await expect(model.embedImages([image, text], { signal })).rejects.toMatchObject({ code: 6014, index: 1 })
    expect(fake.heard).toHaveLength(0)
  })
})

const item = (index: unknown, embedding: unknown = [1, 0]) => ({ index, embedding })

test.each<[string, Reply]>([
  ['no JSON', page()],
  ['another object', json({ vectors: [[1, 0]] })],
  ['too few', json({ data: [item(0)] })],
  ['too many', json({ data: [item(0), item(1), item(2)] })],
  ['an index twice', json({ data: [item(1), item(1)] })],
  ['an index out of range', json({ data: [item(0), item(2)] })],
  ['no index', json({ data: [item(undefined), item(1)] })],
  ['zeros', json({ data: [item(0), item(1, [0, 0])] })],
  ['different lengths', json({ data: [item(0), item(1, [1, 0, 0])] })],
  ['no numbers', json({ data: [item(0), item(1, [])] })],
  ['texts', json({ data: [item(0), item(1, ['1', '0'])] })],
  ['null', json({ data: [item(0), item(1, [1, null])] })],
  [
    'infinity',
    (response) => void response.end('{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}'),
  ],
  ['a vector without end', json({ data: [item(0), item(1, Array(70_000).fill(1))] })],
])('an answer with %s gets 6401', async (_, reply) => {
  const { fake, model } = await open()
  fake.replies.push(reply)
  await expect(model.embedTexts(['a', 'b'], { signal })).rejects.toMatchObject({
    code: 6401,
    retryable: false,
  })
})

test('vectors of another length than before get 6401', async () => {
  const { fake, model } = await open()
  fake.replies.push(embeddings(1, 8), embeddings(1, 9))
  await model.embedTexts(['a'], { signal })
  await expect(model.embedTexts(['a'], { signal })).rejects.toMatchObject({ code: 6401 })
})

test('a vector of more than 1024 numbers is truncated and scaled', async () => {
  const { fake, model } = await open()
  const long = Array.from({ length: 3072 }, (_, at) => Math.sin(at))
  fake.replies.push(json({ data: [{ index: 0, embedding: long }] }))
  const [vector = expect.fail('no vector')] = await model.embedTexts(['a'], { signal })
  expect(vector).toHaveLength(1024)
  expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-6)
  expect((vector[3] ?? 0) / (vector[1] ?? 0)).toBeCloseTo(Math.sin(3) / Math.sin(1), 5)
})

test('a busy service is asked again; a refused key and an unknown model are explained', async () => {
  const { fake, model } = await open()
  fake.replies.push(fails(503), fails(429), embeddings(1))
  expect(await model.embedTexts(['a'], { signal })).toHaveLength(1)
  fake.otherwise = fails(401)
  await expect(model.embedTexts(['a'], { signal })).rejects.toMatchObject({
    ...{ code: 6401, hint: expect.stringContaining('"embedding_key" (REELWRIGHT_EMBEDDING_KEY)') as unknown },
  })
  fake.otherwise = fails(404)
  await expect(model.embedTexts(['a'], { signal })).rejects.toMatchObject({ code: 6401, retryable: false })
})

test('the configured service precedes installed models, and needs none', async () => {
  configureServices({ embedding: { address: 'jina+http://127.0.0.1:9/v1', model: 'clip' } })
  expect(await findEmbeddingModel()).toEqual({ name: 'clip at 127.0.0.1:9', space: 'jina:clip' })
  expect([...(await requireAll([{ kind: 'embedding-model' }]))]).toEqual([
    ['embedding-model', 'clip at 127.0.0.1:9'],
  ])
  await using model = await openEmbeddingModel({ threads: 1, signal })
  expect(model.space).toBe('jina:clip')
})
