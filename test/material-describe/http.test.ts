import { createCanvas, loadImage } from '@napi-rs/canvas'
import { beforeAll, describe, expect, test } from 'vitest'
import { setAccountType } from '../../src/accounts/accounts.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskQuote } from '../../src/contract/task.ts'
import { completes, type ModelServer } from '../engines/language-model/model-server.ts'
import { fails } from '../engines/services/fake-service.ts'
import { api } from '../service/api.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
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

/** A model that does not describe the last of some images. */
interface ModelFailure {
  readonly why: string
  readonly says: ModelServer['says']
  /** Numbers of the images. */
  readonly images: readonly number[]
  readonly message: RegExp
}

/** Order of lists of ids: by the first one, then the longest first. */
const byFirst = (one: readonly number[], other: readonly number[]) =>
  (one[0] ?? 0) - (other[0] ?? 0) || other.length - one.length

/** An item of a request: a picture with a line of letters. */
function letteredImage() {
  const canvas = createCanvas(640, 360)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#357'
  pen.fillRect(0, 0, 640, 360)
  pen.fillStyle = 'white'
  pen.font = '600 32px "DejaVu Sans"'
  pen.fillText('I never said that', 180, 320)
  return { image: canvas.toBuffer('image/png').toString('base64') }
}

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

  describe('32 images', () => {
    const different = soakSize(5, 30)
    const place = (index: number) => index % different
    /** What the model adds, by the id of the image. The fourth has letters. */
    const added: Readonly<Record<number, readonly string[] | undefined>> = {
      2: ['subtitle', 'text_mark'],
      3: ['sticker', 'logo'],
      4: ['subtitle', 'text_mark'],
    }
    let result: Awaited<ReturnType<typeof describeAll>>
    let asked: ReturnType<typeof askedImages>[]
    beforeAll(async () => {
      const { model, calls } = started()
      model.says = describingModel((id, body) => {
        const { added: _, ...rest } = described(id)
        // The first answer about it is of another image.
        const isWrong = id === 1 && askedImages(body).ids.length > 1
        return { ...rest, ...(isWrong && { id: 99 }), ...(added[id] && { added: added[id] }) }
      })
      const { data: file } = await calls.upload(
        'wide.png',
        drawnImage(5, ...soakSize([800, 400] as const, [2000, 1000] as const)),
      )
      const input = Array.from({ length: 32 }, (_, index) => {
        if (place(index) === 1) return { file_id: file.file_id }
        return place(index) === 3 ? letteredImage() : base64(place(index))
      })
      model.asked.length = 0
      result = await describeAll(input)
      asked = model.asked.map(askedImages)
    })

    test('are described in order, with all fields of the contract, for a credit each', () => {
      const { created, data, output, cost } = result
      expect(created.data).toMatchObject({
        ...{ task_type: type, status: 'queued', created_at: expect.any(String) },
      })
      expect(data.status).toBe('completed')
      expect(cost).toBe(32)
      expect(output).toEqual({
        data: Array.from({ length: 32 }, (_, index) => {
          const { desc, tags } = described(place(index) + 1)
          return { index, desc, tags, mark: 80.13, usable_flags: expect.any(Object) }
        }),
        usage: { images: 32, total: 32 },
        describer: expect.stringMatching(/^small at /),
      })
    })

    test('have omitted additions as false, those of graphics as true, those of letters where letters are', () => {
      const none = { watermark: false, text_overlay: false, black_border: false, blurry: false }
      const both = { ...none, watermark: true, text_overlay: true }
      const data = result.output['data'] as readonly { readonly usable_flags: unknown }[]
      expect(data.map(({ usable_flags }) => usable_flags)).toEqual(
        Array.from({ length: 32 }, (_, index) => ([2, 3].includes(place(index)) ? both : none)),
      )
    })

    test('are asked about once if equal, four at a time; one without a usable answer again, alone', () => {
      const ids = Array.from({ length: different }, (_, index) => index + 1)
      const groups = Array.from({ length: Math.ceil(different / 4) }, (_, at) =>
        ids.slice(4 * at, 4 * at + 4),
      )
      expect(asked.map((one) => one.ids).toSorted(byFirst)).toEqual([...groups, [1]].toSorted(byFirst))
    })

    test('are sent as JPEGs of at most 768 pixels', async () => {
      const sizes = await Promise.all(asked.flatMap(({ images }) => images.map((image) => loadImage(image))))
      expect(sizes.map(({ width, height }) => `${width}x${height}`).toSorted()).toEqual([
        ...Array<string>(different - 1).fill('320x240'),
        ...['640x360', '768x384'],
      ])
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

  // Last, because a failed task ends its worker.
  describe('one image without a description fails the task, with a full refund', () => {
    test('if it does not decode', async () => {
      const broken = Buffer.from(drawnImage(1).subarray(0, 60)).toString('base64')
      const { data, output, cost } = await describeAll([base64(1), { image: broken }])
      expect(data.status).toBe('failed')
      expect(output['error']).toMatchObject({
        code: 6014,
        message: expect.stringContaining('input[1].image'),
      })
      expect(cost).toBe(0)
      expect(started().model.asked).toEqual([])
    })

    test.each(sampleCases(['a file', 'base64'] as const, 1))('if a JPEG is cut off, as %s', async (form) => {
      const canvas = createCanvas(640, 480)
      canvas.getContext('2d').drawImage(await loadImage(drawnImage(1, 640, 480)), 0, 0)
      const whole = canvas.toBuffer('image/jpeg')
      const cut = Buffer.from(whole.subarray(0, whole.length / 2))
      const item =
        form === 'base64'
          ? { image: cut.toString('base64') }
          : { file_id: (await started().calls.upload('cut.jpg', cut)).data.file_id }
      const { data, output, cost } = await describeAll([base64(1), item])
      expect([data.status, cost]).toEqual(['failed', 0])
      expect(output['error']).toMatchObject({
        code: 6014,
        message: expect.stringMatching(/^input\[1\].* damaged/),
        hint: expect.stringContaining('JPEG, PNG, BMP or WebP'),
      })
      expect(started().model.asked).toEqual([])
    })

    const failures: readonly ModelFailure[] = [
      {
        why: 'refuses',
        says: (body) =>
          askedImages(body).ids.includes(2)
            ? completes('', 'stop', { refusal: 'no' })
            : describingModel()(body),
        // Equal images are asked about once.
        images: [1, 1, 2],
        message: /^input\[2\]: .*declines/,
      },
      {
        why: 'never describes it',
        says: describingModel((id) => (id === 2 ? described(id, { tags: [] }) : described(id))),
        images: [1, 1, 2],
        message: /^input\[2\]: .* gave no usable description: tags has 0 different tags/,
      },
      {
        why: 'views no images',
        says: () => fails(400, 'this model does not support images'),
        images: [1],
        message: /^input\[0\]: .* refused the request \(HTTP 400\) with images/,
      },
      { why: 'rejects its key', says: () => fails(401), images: [1, 2], message: / asks for a key/ },
    ]
    // The errors of each are tested in answers.test.ts.
    test.each(sampleCases(failures, 1))('if the model $why', async ({ says, images, message }) => {
      started().model.says = says
      const { data, output, cost } = await describeAll(images.map(base64))
      expect(data.status).toBe('failed')
      expect(output['error']).toMatchObject({ code: 6401, message: expect.stringMatching(message) })
      expect(cost).toBe(0)
    })
  })
})
