import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskQuote } from '../../src/contract/task.ts'
import { operations } from '../../tools/index.ts'
import { wrongFields } from '../contract/laws.ts'
import { materialEmbed as table } from '../contract/material-embed.ts'
import { installFakeSiglip } from '../engines/embedding/fake-siglip.ts'
import { generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { drawnImage } from '../material-describe/describing-model.ts'
import { api, type Api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import { blankBmp } from './blank-bmp.ts'
import { base64, embed, type Embeddings, type Item, type, vectors } from './embedding-calls.ts'

const folder = await scratchFolder()
const packsFolder = join(folder, 'packs')
await installFakeSiglip(packsFolder, 'siglip2-base')

async function image(name: string, source = 'testsrc=s=60x40', more: readonly string[] = []) {
  const inputs = ['-f', 'lavfi', '-i', source, ...more, '-frames:v', '1']
  return new Uint8Array(await readFile(await generateMedia(join(folder, name), inputs)))
}

const many = (item: Item, count: number) => Array.from({ length: count }, () => item)

const png = await image('a.png')
const jpg = await image('b.jpg', 'testsrc2=s=41x64')
let service: TestService
let calls: Api
let file: string
/** Vector of the file. */
let fileVector: number[] | undefined

beforeAll(async () => {
  service = await startTestService({
    operations,
    packs: { folder: packsFolder },
    rateLimits: { material_embed: 10_000 },
  })
  calls = api(await service.account(10_000))
  file = (await calls.upload('a.png', png)).data.file_id
  ;[fileVector] = await vectors(calls, [{ file_id: file }])
})
afterAll(() => service[Symbol.asyncDispose]())

describe('the result', () => {
  test('has a vector per item in order, of 1024 numbers and length 1, and the documented fields', async () => {
    const before = await calls.balance()
    const items = [{ text: 'a cat' }, { image: base64(jpg) }, { text: 'dog' }, { file_id: file }]
    const { data, status } = await embed(calls, items)
    expect(status).toBe(200)
    const { task_id, ...result } = data as Embeddings & { task_id: string }
    expect(wrongFields({ ...table.result, ...table.resultAdditions }, result)).toEqual([])
    expect(wrongFields(table.resultParts['usage'] ?? {}, result.usage)).toEqual([])
    expect(result.usage).toEqual({ texts: 2, images: 2, total: 4 })
    expect([result.engine, result.space]).toEqual(['siglip2-base', 'siglip2-base-patch16-224/ba1f3b0/1'])
    for (const [index, item] of result.data.entries()) {
      expect(wrongFields(table.resultParts['data.0'] ?? {}, item)).toEqual([])
      expect([item.index, item.normalized, item.embedding.length]).toEqual([index, true, 1024])
      expect(Math.abs(Math.hypot(...item.embedding) - 1)).toBeLessThan(1e-6)
    }
    const [cat, second, dog, first] = result.data.map(({ embedding }) => embedding)
    expect(await vectors(calls, [{ text: 'dog' }, { text: 'a cat' }])).toEqual([dog, cat])
    expect(await vectors(calls, [{ file_id: file }, { image: base64(jpg) }])).toEqual([first, second])
    expect(before - (await calls.balance())).toBe(2)
    expect((await calls.query(type, task_id)).data).toMatchObject({
      status: 'completed',
      output_result: result,
    })
  })

  test('is the same bit for bit for base64, a data URI and a file id of an image', async () => {
    const images = [
      ['a.png', 'testsrc=s=60x40'],
      ['b.jpg', 'testsrc2=s=41x64'],
      ['c.webp', 'testsrc=s=33x17'],
      ['d.bmp', 'testsrc2=s=8x90'],
      ['half.png', 'color=red@0.4:s=32x32,format=rgba'],
    ] as const
    for (const [name, source] of sampleCases(images, 1)) {
      const bytes = await image(name, source)
      const { data: uploaded } = await calls.upload(name, bytes)
      const [byId, plain, uri, wrapped] = await vectors(calls, [
        { file_id: uploaded.file_id },
        { image: base64(bytes) },
        { image: `data:image/png;base64,${base64(bytes)}` },
        { image: base64(bytes).replaceAll(/.{76}/g, '$&\r\n') },
      ])
      expect(plain).toEqual(byId)
      expect(uri).toEqual(byId)
      expect(wrapped).toEqual(byId)
    }
  })

  const batchSize = soakSize(2, 16)
  test(`of a batch of ${batchSize} equals those of ${batchSize} single calls`, async () => {
    const items = Array.from({ length: batchSize }, (_, index) =>
      index % 2 === 0
        ? { text: `${'cat '.repeat(index)}dog` }
        : { image: base64(drawnImage(index, 16 + index, 48 - index)) },
    )
    const batch = await vectors(calls, items)
    const single: number[][] = []
    for (const item of items) single.push(...(await vectors(calls, [item])))
    expect(batch).toEqual(single)
  })

  test('depends on the task for texts, not for images', async () => {
    const items = [{ text: 'cat' }, { file_id: file }]
    const [plainText] = await vectors(calls, [{ text: 'cat' }])
    const [text, picture] = await vectors(calls, items, { task: 'search_query:' })
    expect(picture).toEqual(fileVector)
    expect(text).not.toEqual(plainText)
    expect(await vectors(calls, items, { task: '', normalized: true })).toEqual([plainText, fileVector])
  })
})

async function quote(input: readonly Item[]) {
  const { data } = await calls.send<TaskQuote>(fillPath(routes.quoteTask.path, { task_type: type }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  })
  return data.credits
}

test.each(
  sampleCases<readonly [string, (input: readonly Item[]) => Promise<unknown>, unknown]>(
    [
      ['a price', quote, 2],
      [
        'a result',
        async (input) => {
          const { code, msg, data } = await embed(calls, input)
          return [code, msg, data?.usage]
        },
        [200, 'success', { texts: 64, images: 16, total: 80 }],
      ],
    ],
    1,
  ),
)('16 images of 1 MiB each as base64, and 64 texts, have %s', async (_, send, expected) => {
  const largest = Buffer.concat([blankBmp(8, 90)], 2 ** 20)
  const images = many({ image: base64(largest).replaceAll(/.{76}/g, '$&\r\n') }, 16)
  const texts = Array.from({ length: 64 }, (_item, index) => ({ text: `cat ${index}` }))
  expect(await send([...images, ...texts])).toEqual(expected)
})

describe('the price', () => {
  test('is a tenth of a credit per image, rounded half up, at least 1; texts are free', async () => {
    const credits = []
    for (const count of [1, 5, 14, 15, 16]) credits.push(await quote(many({ file_id: file }, count)))
    expect(credits).toEqual([1, 1, 1, 2, 2])
    expect(await quote([{ text: 'a' }, ...many({ image: base64(png) }, 15)])).toBe(2)
    expect(await quote([{ text: 'a' }])).toBe(0)
  })

  test('of texts needs no credits; images without credits get 6202, beyond a quota 6201', async () => {
    const poor = api(await service.account(0))
    expect(await vectors(poor, [{ text: 'a' }])).toHaveLength(1)
    expect(await embed(poor, [{ image: base64(png) }])).toMatchObject({ status: 402, code: 6202, data: null })
    const bounded = api(await service.account(10, 1))
    expect(await vectors(bounded, [{ image: base64(png) }])).toHaveLength(1)
    expect(await embed(bounded, [{ image: base64(png) }])).toMatchObject({ status: 402, code: 6201 })
    expect(await bounded.balance()).toBe(9)
  })
})

describe('a request is rejected, and costs nothing,', () => {
  const expectRejected = async (input: readonly Item[], expected: object, more: object = {}) => {
    const before = await calls.balance()
    expect(await embed(calls, input, more)).toMatchObject({ ...expected, data: null })
    expect(await calls.balance()).toBe(before)
  }
  test('with more than 16 images or 64 texts, before any is decoded', async () => {
    const tooMany = { status: 400, code: 6030 }
    await expectRejected([...many({ image: 'no base64!' }, 9), ...many({ file_id: file }, 8)], tooMany)
    await expectRejected(many({ image: '' }, 17), tooMany)
    await expectRejected(many({ text: 'a' }, 65), tooMany)
    await expectRejected(many({ text: 'a' }, 65), tooMany, { normalized: false })
  })

  test.each<[string, Item]>([
    ['of no form', {}],
    ['of another form', { audio: 'a' }],
    ['of two forms', { text: 'a', file_id: '1234567890123456789' }],
    ['of a text and an image', { text: 'a', image: 'aGk=' }],
    ['with an empty text', { text: '' }],
    ['with an empty image', { image: '' }],
    ['with null', { text: null }],
    ['with what is not base64', { image: 'no base64!' }],
  ])('with an item %s: 6016', async (_, item) => {
    await expectRejected([{ text: 'a' }, item], {
      status: 400,
      code: 6016,
      msg: expect.stringContaining('input[1]'),
    })
  })

  test('without input: 6013', async () => {
    for (const body of [{}, { input: null }])
      expect(await calls.create(type, body)).toMatchObject({ status: 400, code: 6013 })
    expect(await calls.create(type, { input: 'a' })).toMatchObject({ status: 400, code: 6016 })
  })

  test('with normalized false, or a task of more than 64 characters: 6016', async () => {
    await expectRejected([{ text: 'a' }], { status: 400, code: 6016 }, { normalized: false })
    await expectRejected([{ text: 'a' }], { status: 400, code: 6016 }, { task: '𠀀'.repeat(65) })
    expect(await vectors(calls, [{ text: 'a' }], { task: '𠀀'.repeat(64) })).toHaveLength(1)
  })

  test('with a larger image: 6031, which names its form', async () => {
    const large = blankBmp(1920, 1900)
    expect(large.length).toBeGreaterThan(10 * 2 ** 20)
    const { data: uploaded } = await calls.upload('large.bmp', large)
    const named = (form: string) => ({
      status: 413,
      code: 6031,
      msg: expect.stringContaining(`input[1].${form}`),
    })
    await expectRejected([{ text: 'a' }, { file_id: uploaded.file_id }], named('file_id'))
    const above = Buffer.concat([png], 2 ** 20 + 1)
    await expectRejected([{ text: 'a' }, { image: base64(above) }], named('image'))
  })

  test('with a file of another account or an unknown one: 6004', async () => {
    const other = api(await service.account(10))
    const { data: theirs } = await other.upload('theirs.png', png)
    const missing = { status: 404, code: 6004 }
    await expectRejected([{ file_id: theirs.file_id }], missing)
    await expectRejected([{ file_id: '1234567890123456789' }], missing)
    expect(await vectors(other, [{ file_id: theirs.file_id }])).toEqual([fileVector])
  })

  test('with what is no image: 6014, also if only decoding shows it', async () => {
    const { data: text } = await calls.upload('lines.srt', '1\n00:00:01,000 --> 00:00:02,000\nNot.\n')
    const { data: damaged } = await calls.upload('damaged.png', 'no image at all')
    const { data: broken } = await calls.upload('broken.png', png.slice(0, 60))
    const { data: cut } = await calls.upload('cut.jpg', jpg.slice(0, jpg.length / 2))
    const wrong = { status: 400, code: 6014 }
    const at = { ...wrong, msg: expect.stringMatching(/^input\[1\]\.file_id: damaged\.png/) as unknown }
    await expectRejected([{ text: 'sea' }, { file_id: damaged.file_id }], at)
    for (const { file_id } of [text, damaged]) await expectRejected([{ file_id }], wrong)
    await expectRejected([{ image: base64(Buffer.from('just text')) }], wrong)
    // Their start is that of an image: the task fails and is refunded.
    const inside = [
      { image: base64(png.slice(0, 60)) },
      { file_id: cut.file_id },
      { file_id: broken.file_id },
    ]
    for (const item of sampleCases(inside))
      await expectRejected([{ file_id: file }, item], {
        ...wrong,
        msg: expect.stringContaining(`input[1].${Object.keys(item)[0]}`) as unknown,
      })
  })
})
