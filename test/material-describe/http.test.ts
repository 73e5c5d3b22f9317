import { createCanvas, loadImage } from '@napi-rs/canvas'
import { describe, expect, test } from 'vitest'
import { setAccountType } from '../../src/accounts/accounts.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskQuote } from '../../src/contract/task.ts'
import { completes } from '../engines/language-model/model-server.ts'
import { fails } from '../engines/services/fake-service.ts'
import { api } from '../service/api.ts'
import { soakSize } from '../soak-size.ts'
import {
  askedImages,
  base64,
  described,
  describingModel,
  drawnImage,
  hasPacks,
  type,
} from './describing-model.ts'
import { useDescribingService } from './describing-service.ts'

describe.skipIf(!hasPacks)('material_describe (REELWRIGHT_TESTDATA)', () => {
  const { started } = useDescribingService()

  /** Creates a task and waits for its end. Returns also the credits charged. */
  async function describeAll(input: readonly unknown[]) {
    const before = await started().calls.balance()
    const created = await started().calls.create(type, { input })
    if (created.status !== 200) throw new Error(`${created.code} ${created.msg}`)
    const { data } = await started().calls.ended(type, created.data.task_id)
    return {
      created,
      data,
      output: data.output_result ?? {},
      cost: before - (await started().calls.balance()),
    }
  }

  test('describes images in order, in questions of four small JPEGs, with all fields of the contract', async () => {
    const { data: file } = await started().calls.upload('wide.png', drawnImage(5, 2000, 1000))
    const input = [base64(1), { file_id: file.file_id }, base64(3), base64(4), base64(6)]
    const { created, output, cost } = await describeAll(input)
    expect(created.data).toMatchObject({ task_type: type, status: 'queued', created_at: expect.any(String) })
    expect(cost).toBe(5)
    const flags = { watermark: false, text_overlay: false, black_border: false, blurry: false }
    expect(output).toEqual({
      data: input.map((_, index) => {
        const { desc, tags } = described(index + 1)
        return { index, desc, tags, mark: 80.13, usable_flags: flags }
      }),
      usage: { images: 5, total: 5 },
      describer: expect.stringMatching(/^small at /),
    })
    const asked = started().model.asked.map(askedImages)
    expect(asked.map(({ ids }) => ids).toSorted(([one = 0], [other = 0]) => one - other)).toEqual([
      [1, 2, 3, 4],
      [5],
    ])
    const sizes = await Promise.all(asked.flatMap(({ images }) => images.map((image) => loadImage(image))))
    expect(sizes.map(({ width, height }) => `${width}x${height}`).toSorted()).toEqual([
      ...['320x240', '320x240', '320x240', '320x240', '768x384'],
    ])
  })

  test('32 images in one task, equal ones asked once, within the concurrency of the model', async () => {
    const different = soakSize(5, 30)
    const input = Array.from({ length: 32 }, (_, index) => base64(index % different))
    const { output, cost } = await describeAll(input)
    const data = output['data'] as { index: number; desc: string }[]
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index))
    expect(data[different]?.desc).toBe(data[0]?.desc)
    expect(data[different + 1]?.desc).toBe(data[1]?.desc)
    expect(started().model.asked).toHaveLength(Math.ceil(different / 4))
    expect(cost).toBe(32)
    expect(output['usage']).toEqual({ images: 32, total: 32 })
  })

  test('an image whose answer is unusable is asked again alone, and the rest is kept', async () => {
    const { model: server } = started()
    server.says = describingModel((id) => described(id === 2 && server.asked.length === 1 ? id + 10 : id))
    const { data, output } = await describeAll([base64(1), base64(2)])
    expect(data.status).toBe('completed')
    expect(output['data']).toMatchObject([1, 2].map((id) => ({ desc: described(id).desc })))
    expect(server.asked.map((body) => askedImages(body).ids)).toEqual([[1, 2], [2]])
  })

  test('omitted additions are false; those of graphics count, those of letters only where letters are', async () => {
    const canvas = createCanvas(640, 360)
    const pen = canvas.getContext('2d')
    pen.fillStyle = '#357'
    pen.fillRect(0, 0, 640, 360)
    pen.fillStyle = 'white'
    pen.font = '600 32px "DejaVu Sans"'
    pen.fillText('I never said that', 180, 320)
    const lettered = { image: canvas.toBuffer('image/png').toString('base64') }
    const added: Readonly<Record<number, readonly string[] | undefined>> = {
      1: undefined,
      2: ['subtitle', 'text_mark'],
      3: ['sticker', 'logo'],
      4: ['subtitle', 'text_mark'],
    }
    started().model.says = describingModel((id) => {
      const { added: _, ...rest } = described(id)
      return added[id] ? { ...rest, added: added[id] } : rest
    })
    const { output } = await describeAll([base64(1), base64(2), base64(3), lettered])
    const none = { watermark: false, text_overlay: false, black_border: false, blurry: false }
    const both = { ...none, watermark: true, text_overlay: true }
    const data = output['data'] as readonly { readonly usable_flags: unknown }[]
    expect(data.map(({ usable_flags }) => usable_flags)).toEqual([none, none, both, both])
  })

  describe('one image without a description fails the task, with a full refund', () => {
    test('if it does not decode', async () => {
      const broken = Buffer.from(drawnImage(1).subarray(0, 60)).toString('base64')
      const { data, output, cost } = await describeAll([base64(1), base64(2), { image: broken }])
      expect(data.status).toBe('failed')
      expect(output['error']).toMatchObject({
        code: 6014,
        message: expect.stringContaining('input[2].image'),
      })
      expect(cost).toBe(0)
      expect(started().model.asked).toEqual([])
    })

    test('if a JPEG is cut off, as base64 or as a file', async () => {
      const canvas = createCanvas(640, 480)
      canvas.getContext('2d').drawImage(await loadImage(drawnImage(1, 640, 480)), 0, 0)
      const whole = canvas.toBuffer('image/jpeg')
      const cut = Buffer.from(whole.subarray(0, whole.length / 2))
      const { data: file } = await started().calls.upload('cut.jpg', cut)
      for (const item of [{ image: cut.toString('base64') }, { file_id: file.file_id }]) {
        const { data, output, cost } = await describeAll([base64(1), item])
        expect([data.status, cost]).toEqual(['failed', 0])
        expect(output['error']).toMatchObject({
          code: 6014,
          message: expect.stringMatching(/^input\[1\].* damaged/),
          hint: expect.stringContaining('JPEG, PNG, BMP or WebP'),
        })
      }
      expect(started().model.asked).toEqual([])
    })

    test('if the model never describes it', async () => {
      started().model.says = describingModel((id) => (id === 2 ? described(id, { tags: [] }) : described(id)))
      // Equal images are asked about once.
      const { data, output, cost } = await describeAll([base64(1), base64(1), base64(2)])
      expect(data.status).toBe('failed')
      expect(output['error']).toMatchObject({
        code: 6401,
        message: expect.stringMatching(
          /^input\[2\]: .* gave no usable description: tags has 0 different tags/,
        ),
      })
      expect(cost).toBe(0)
    })

    test('if the model refuses', async () => {
      started().model.says = (body) =>
        askedImages(body).ids.includes(1) ? completes('', 'stop', { refusal: 'no' }) : describingModel()(body)
      const { data, output, cost } = await describeAll([base64(1)])
      expect(data.status).toBe('failed')
      expect(output['error']).toMatchObject({
        code: 6401,
        message: expect.stringMatching(/^input\[0\]: .*declines/),
      })
      expect(cost).toBe(0)
    })

    test('if the model views no images, with a fix that names one that does', async () => {
      started().model.says = () => fails(400, 'this model does not support images')
      const { output, cost } = await describeAll([base64(1)])
      expect(output['error']).toMatchObject({
        code: 6401,
        message: expect.stringMatching(/^input\[0\]: .* refused the request \(HTTP 400\) with images/),
        hint: expect.stringMatching(/a model that can view images, such as .*#qwen2\.5vl/),
      })
      expect(cost).toBe(0)
    })

    test('if the service rejects its key', async () => {
      started().model.says = () => fails(401)
      const { data, cost } = await describeAll([base64(1), base64(2)])
      expect(data.status).toBe('failed')
      expect(cost).toBe(0)
    })
  })

  test('internal accounts are not charged, nor quoted a price; others are', async () => {
    const { service: running } = started()
    const account = await running.account(0)
    const client = api(account)
    const quote = () =>
      client.send<TaskQuote>(fillPath(routes.quoteTask.path, { task_type: type }), {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ input: [base64(1)] }),
      })
    expect((await quote()).data.credits).toBe(1)
    expect(await client.create(type, { input: [base64(1)] })).toMatchObject({ code: 6201 })
    const { db } = running.running.service
    expect(await setAccountType(db, { name: `account ${account.id}`, type: 'internal' })).toBe(true)
    expect((await quote()).data.credits).toBe(0)
    const { data: task } = await client.create(type, { input: [base64(1)] })
    expect((await client.ended(type, task.task_id)).data.status).toBe('completed')
    expect(await client.balance()).toBe(0)
    const entries = await client.send<{ total: number }>(routes.listLedger.path)
    expect(entries.data.total).toBe(0)
  })
})
