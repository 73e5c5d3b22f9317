import { beforeAll, describe, expect, test } from 'vitest'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskQuote } from '../../src/contract/task.ts'
import { blankBmp } from '../material-embed/blank-bmp.ts'
import { api } from '../service/api.ts'
import { base64, drawnImage, hasPacks, type } from './describing-model.ts'
import { useDescribingService } from './describing-service.ts'

describe.skipIf(!hasPacks)('material_describe rejects (REELWRIGHT_TESTDATA)', () => {
  const { started, withService } = useDescribingService()

  describe('rejected at creation, free of charge', () => {
    let files: { image: string; large: string; video: string; text: string; renamed: string }
    beforeAll(async () => {
      const upload = async (name: string, bytes: Uint8Array<ArrayBuffer> | string) =>
        (await started().calls.upload(name, bytes)).data.file_id
      files = {
        image: await upload('a.png', drawnImage(1)),
        large: await upload('large.bmp', blankBmp(2000, 1800)),
        video: await upload('clip.mp4', 'no video'),
        text: await upload('lines.srt', '1\n'),
        renamed: await upload('notes.jpg', 'just text'),
      }
    })

    test.each<[string, () => unknown, number, number, RegExp]>([
      ['no input', () => ({}), 400, 6013, /input/],
      ['an empty list', () => ({ input: [] }), 400, 6016, /input/],
      ['one item instead of a list', () => ({ input: base64(1) }), 400, 6016, /input/],
      ['a text', () => ({ input: [{ text: 'a harbour' }] }), 400, 6016, /input\[0\]/],
      ['a string', () => ({ input: ['a'] }), 400, 6016, /input\[0\]/],
      ['no form', () => ({ input: [{}] }), 400, 6016, /exactly one of image and file_id/],
      ['both forms', () => ({ input: [{ ...base64(1), file_id: files.image }] }), 400, 6016, /exactly one/],
      ['an image with a text', () => ({ input: [{ ...base64(1), text: 'x' }] }), 400, 6016, /input\[0\]/],
      ['no base64', () => ({ input: [base64(1), { image: '???' }] }), 400, 6016, /input\[1\]\.image/],
      ['base64 of a GIF', () => ({ input: [{ image: 'R0lGODlhAQABAAAAACw=' }] }), 400, 6014, /input\[0\]/],
      ['an unknown file', () => ({ input: [{ file_id: '1234567890123456789' }] }), 404, 6004, /input\[0\]/],
      ['a video', () => ({ input: [{ file_id: files.video }] }), 400, 6014, /clip\.mp4 is not an image/],
      ['a text file', () => ({ input: [{ file_id: files.text }] }), 400, 6014, /lines\.srt is not an image/],
      [
        'a text that is named like an image',
        () => ({ input: [base64(1), { file_id: files.renamed }] }),
        ...([400, 6014, /^input\[1\]\.file_id: notes\.jpg/] as const),
      ],
      [
        'a base64 image above 1 MiB',
        () => ({
          input: [{ image: Buffer.concat([drawnImage(1), Buffer.alloc(2 ** 20)]).toString('base64') }],
        }),
        ...([413, 6031, /input\[0\]\.image.*base64/] as const),
      ],
      ['a file above 10 MB', () => ({ input: [{ file_id: files.large }] }), 413, 6031, /input\[0\]\.file_id/],
      [
        '33 images, before any is decoded',
        () => ({ input: Array.from({ length: 33 }, () => ({ image: '???' })) }),
        ...([400, 6030, /33 images, and at most 32/] as const),
      ],
    ])('%s', async (_, body, status, code, message) => {
      const before = await started().calls.balance()
      const response = await started().calls.create(type, body())
      expect(response).toMatchObject({ status, code, data: null, msg: expect.stringMatching(message) })
      expect(await started().calls.balance()).toBe(before)
    })

    test('without credits or quota: 6201', async () => {
      const { service: running } = started()
      for (const account of [await running.account(1), await running.account(10, 1)]) {
        const response = await api(account).create(type, { input: [base64(1), base64(2)] })
        expect(response).toMatchObject({ status: 402, code: 6201, data: null })
      }
    })
  })

  test('32 images of 1 MiB are accepted, with line breaks in their base64', async () => {
    const image = Buffer.concat([drawnImage(1), Buffer.alloc(2 ** 20 - drawnImage(1).length)])
    const text = image.toString('base64').replaceAll(/.{76}/g, '$&\r\n')
    const body = { input: Array.from({ length: 32 }, () => ({ image: text })) }
    const quoted = await started().calls.send<TaskQuote>(
      fillPath(routes.quoteTask.path, { task_type: type }),
      {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(body),
      },
    )
    expect(quoted).toMatchObject({ status: 200, data: { credits: 32 } })
  })

  test('30 requests per minute and key, unless another rate is set', async () => {
    await withService({}, async (limited) => {
      const client = api(await limited.account(0))
      const codes = []
      for (let request = 0; request < 31; request += 1) codes.push((await client.create(type, {})).code)
      expect(codes).toEqual([...Array.from({ length: 30 }, () => 6013), 6032])
    })
    await withService({ rateLimits: { [type]: 1 } }, async (limited) => {
      const client = api(await limited.account(0))
      expect((await client.create(type, {})).code).toBe(6013)
      expect((await client.create(type, {})).code).toBe(6032)
    })
  })
})
