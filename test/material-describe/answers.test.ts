import { createCanvas } from '@napi-rs/canvas'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeImages } from '../../src/engines/description/describe-images.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import {
  completes,
  type ModelServer,
  openModel,
  setModel,
  startModelServer,
} from '../engines/language-model/model-server.ts'
import { fails } from '../engines/services/fake-service.ts'
import { askedImages, described, describingModel } from './describing-model.ts'

const jpeg = createCanvas(32, 24).toBuffer('image/jpeg')

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer(describingModel())
  setModel(server, { context_tokens: 16_384 })
})
afterEach(async () => {
  configureServices({})
  await server[Symbol.asyncDispose]()
})

/** Descriptions of images by the configured model. */
async function describe(images: number) {
  await using model = await openModel()
  const { signal } = new AbortController()
  const nameImage = (index: number) => `input[${index}]`
  return await describeImages(Array<Buffer>(images).fill(jpeg), {
    ...{ model, signal, nameImage },
    onCount: () => undefined,
  })
}

test.each<[string, (id: number) => object]>([
  ['not in Chinese', (id) => described(id, { desc: 'A harbour in the morning.' })],
  [
    'in traditional characters',
    (id) => described(id, { desc: '這裡的碼頭邊停著幾艘漁船，遠處還見燈塔與雲層。' }),
  ],
  ['empty', (id) => described(id, { desc: ' ' })],
  ['in Japanese', (id) => described(id, { desc: '夕暮れの港に停泊する漁船' })],
  ['with English tags', (id) => described(id, { tags: ['boat', 'dusk', 'harbour', '港口'] })],
  ['with two tags', (id) => described(id, { tags: ['港口', '清晨', '港口'] })],
  ['with a mark above 100', (id) => described(id, { mark: 100.5 })],
  ['with a negative mark', (id) => described(id, { mark: -1 })],
  ['with an unknown addition', (id) => described(id, { added: ['frame'] })],
  ['of another image', (id) => described(id + 10)],
])('an answer %s is asked again for this image alone, and the rest is kept', async (_, wrong) => {
  server.says = describingModel((id) => (id === 2 && server.asked.length === 1 ? wrong(id) : described(id)))
  expect(await describe(3)).toMatchObject([1, 2, 3].map((id) => ({ desc: described(id).desc })))
  expect(server.asked.map((body) => askedImages(body).ids)).toEqual([[1, 2, 3], [2]])
})

test.each<[string, ModelServer['says'], object]>([
  [
    'never describes it',
    describingModel((id) => (id === 2 ? described(id, { tags: [] }) : described(id))),
    {
      message: expect.stringMatching(/^input\[1\]: .* gave no usable description: tags has 0 different tags/),
    },
  ],
  [
    'refuses',
    () => completes('', 'stop', { refusal: 'no' }),
    { message: expect.stringMatching(/^input\[[01]\]: .*declines/) },
  ],
  [
    'views no images, with a fix that names one that does',
    () => fails(400, 'this model does not support images'),
    {
      message: expect.stringMatching(/^input\[[01]\]: .* refused the request \(HTTP 400\) with images/),
      hint: expect.stringMatching(/a model that can view images, such as .*#qwen2\.5vl/),
    },
  ],
  ['rejects its key', () => fails(401), { message: expect.stringContaining('asks for a key') }],
])('an image has no description if the model %s', async (_, says, error) => {
  server.says = says
  await expect(describe(2)).rejects.toMatchObject({ code: 6401, ...error })
})

test('limits are applied to an answer: sentences of at most 200 characters, eight tags, two decimals', async () => {
  const sentence = '港口的清晨光线柔和，渔船停在岸边，远处能看到灯塔和一排低矮的房子。'
  const tags = Array.from('一二三四五六七八九十', (digit) => `标签${digit}`)
  server.says = describingModel((id) =>
    described(id, { desc: sentence.repeat(9), tags: ['#港口', ...tags], mark: 77.777 }),
  )
  const whole = Math.floor(200 / [...sentence].length)
  expect(await describe(1)).toMatchObject([
    { desc: sentence.repeat(whole), tags: ['港口', ...tags.slice(0, 7)], mark: 77.78 },
  ])
})

test('asks about fewer images at once if the context of the model is small', async () => {
  setModel(server, { context_tokens: 4096 })
  await describe(3)
  expect(server.asked.map((body) => askedImages(body).ids.length)).toEqual([1, 1, 1])
})
