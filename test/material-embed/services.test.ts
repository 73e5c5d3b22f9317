import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { installFakeSiglip } from '../engines/embedding/fake-siglip.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { startFakeService } from '../engines/services/fake-service.ts'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'
import { base64, embed, type Item, type, vectors } from './embedding-calls.ts'

const packsFolder = join(await scratchFolder(), 'packs')
await installFakeSiglip(packsFolder, 'siglip2-base')

/** A PNG of one black pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

test('a key may send 60 requests a minute, or as many as the settings allow', async () => {
  // On a slow machine, the requests would take longer than the time after which one more is allowed.
  const now = Date.now()
  const clock = () => now
  await using usual = await startTestService({ operations, packs: { folder: packsFolder }, clock })
  const account = await usual.account(0)
  const codes: number[] = []
  for (let index = 0; index < 61; index += 1) codes.push((await api(account).create(type, {})).code)
  expect(codes).toEqual([...Array<number>(60).fill(6013), 6032])
  expect(await api(account).create(type, {})).toMatchObject({ status: 429, code: 6032 })
  expect(await api(await usual.account(0)).create(type, {})).toMatchObject({ code: 6013 })
  await using strict = await startTestService({
    operations,
    packs: { folder: packsFolder },
    rateLimits: { material_embed: 1 },
    clock,
  })
  const own = api(await strict.account(0))
  expect(await vectors(own, [{ text: 'a' }])).toHaveLength(1)
  expect(await embed(own, [{ text: 'a' }])).toMatchObject({ status: 429, code: 6032 })
})

test('a configured service embeds instead, and its failure is refunded', async () => {
  await using fake = await startFakeService((response, { body }) => {
    const { input } = JSON.parse(body.toString()) as { input: readonly unknown[] }
    const data = input.map((_, index) => ({ index, embedding: [index + 1, 1] }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  const address = `jina+${fake.origin}/v1`
  const services = { embedding: { address, model: 'jina-clip-v2' } }
  await using remote = await startTestService({ operations, services })
  const own = api(await remote.account(5))
  const { data } = await embed(own, [{ image: base64(png) }, { text: 'a' }], { task: 'retrieval.query' })
  expect(data).toMatchObject({ space: 'jina:jina-clip-v2', usage: { texts: 1, images: 1, total: 2 } })
  const bodies = fake.heard.map(({ body }) => JSON.parse(body.toString()) as Item)
  expect(bodies).toMatchObject([
    { input: [{ text: 'a' }], task: 'retrieval.query' },
    { input: [{ image: base64(png) }] },
  ])
  fake.otherwise = (response) => void response.end('{}')
  expect(await embed(own, [{ image: base64(png) }])).toMatchObject({ status: 500, code: 6401, data: null })
  expect(await own.balance()).toBe(4)
})
