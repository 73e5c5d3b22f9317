import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inspectedFile } from '../../src/contract/file-routes.ts'
import { generateMedia, h264, scratchFolder, tone } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope } from './raw-http.ts'

const folder = await scratchFolder()
const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))

describe('downloads', () => {
  onOneDatabase((service) => {
    const uploaded = async (
      name = 'a.txt',
      bytes: Uint8Array<ArrayBuffer> | string = new Uint8Array(content),
    ) => {
      const account = await service().account(0)
      const { data } = await api(account).upload(name, bytes)
      const url = service().baseUrl + data.download_url
      const get = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
        sendRequest(url, { method, headers: { authorization: account.apiKey, ...headers } })
      return { ...account, file: data, url, get }
    }

    test('the whole file, with its headers', async () => {
      const { file, get } = await uploaded('Grüße "你好".txt')
      const { status, headers, bytes } = await get()
      expect(status).toBe(200)
      expect(bytes.equals(content)).toBe(true)
      expect(headers).toMatchObject({
        'content-length': '1000',
        'content-type': 'text/plain',
        'accept-ranges': 'bytes',
        etag: `"${file.blake3_id}"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-disposition': `attachment; filename="Gr__e ____.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22%E4%BD%A0%E5%A5%BD%22.txt`,
      })
    })

    test.for([
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=990-', 990, 999],
      ['bytes=-10', 990, 999],
      ['bytes=-5000', 0, 999],
      ['bytes=500-5000', 500, 999],
    ] as const)('%s is a part', async ([range, start, end]) => {
      const { get } = await uploaded()
      const { status, headers, bytes } = await get({ range })
      expect(status).toBe(206)
      expect(headers['content-range']).toBe(`bytes ${start}-${end}/1000`)
      expect(headers['content-length']).toBe(String(end - start + 1))
      expect(bytes.equals(content.subarray(start, end + 1))).toBe(true)
    })

    test.for(['bytes=1000-', 'bytes=-0', 'bytes=5000-6000', `bytes=${'9'.repeat(400)}-`])(
      '%s is not satisfiable: 416',
      async (range) => {
        const { status, headers, bytes } = await (await uploaded()).get({ range })
        expect([status, headers['content-range'], bytes.length]).toEqual([416, 'bytes */1000', 0])
      },
    )

    test.for(['bytes=0-1,5-6', 'bytes=9-3', 'lines=0-1', 'bytes=-', 'bytes=a-b'])(
      '%s is ignored, and the whole file is returned',
      async (range) => {
        const { status, bytes } = await (await uploaded()).get({ range })
        expect([status, bytes.length]).toEqual([200, 1000])
      },
    )

    test('conditional requests', async () => {
      const { file, get } = await uploaded()
      const tag = `"${file.blake3_id}"`
      const range = 'bytes=0-9'
      expect((await get({ range, 'if-range': tag })).status).toBe(206)
      expect((await get({ range, 'if-range': '"other"' })).status).toBe(200)
      expect((await get({ range, 'if-range': `W/${tag}` })).status, 'a weak tag proves nothing').toBe(200)
      for (const value of [tag, `"other", W/${tag}`, '*']) {
        const { status, headers, bytes } = await get({ 'if-none-match': value })
        expect([status, headers['etag'], bytes.length]).toEqual([304, tag, 0])
      }
      expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
    })

    test('HEAD returns the same headers without content', async () => {
      const { get } = await uploaded()
      const fullResponse = await get({}, 'HEAD')
      expect([
        fullResponse.status,
        fullResponse.headers['content-length'],
        fullResponse.bytes.length,
      ]).toEqual([200, '1000', 0])
      const part = await get({ range: 'bytes=0-9' }, 'HEAD')
      expect([part.status, part.headers['content-length']], 'only GET knows ranges').toEqual([200, '1000'])
    })

    test('a file of another account, an unknown id and a malformed id are not found', async () => {
      const { url, file } = await uploaded()
      const { apiKey } = await service().account(0)
      const unknown = [
        url,
        url.replace(file.file_id, '1234567890123456789'),
        url.replace(file.file_id, 'x'.repeat(60)),
      ]
      for (const one of unknown) {
        expect(envelope(await sendRequest(one, { headers: { authorization: apiKey } }))).toMatchObject({
          status: 404,
          code: 6004,
          data: null,
        })
      }
    })

    test('missing content returns an error, not part of a file', async () => {
      const { file, get } = await uploaded('a.txt', 'bytes to lose')
      await service().running.service.files.remove(file.blake3_id)
      expect(envelope(await get())).toMatchObject({
        status: 500,
        code: 6500,
        msg: 'internal error',
        data: null,
      })
    })

    test('text has neither facts nor preview; an unknown preview kind is rejected', async () => {
      const { file, ...account } = await uploaded()
      const calls = api(account)
      expect((await calls.send(`/base/file/${file.file_id}/facts`)).data).toMatchObject({ media: null })
      const requestPreview = (query: string) => calls.send(`/base/file/${file.file_id}/preview${query}`)
      expect(await requestPreview('?kind=waveform')).toMatchObject({ status: 400, code: 6014 })
      for (const query of ['', '?kind=poster']) {
        expect(await requestPreview(query)).toMatchObject({
          status: 400,
          code: 6016,
          msg: expect.stringMatching(/^kind: /),
        })
      }
    })

    test('a file that is only named like a video returns 6017 with its name', async () => {
      const { file, ...account } = await uploaded('film.mp4')
      for (const part of ['facts', 'preview?kind=contact_sheet']) {
        expect(await api(account).send(`/base/file/${file.file_id}/${part}`)).toMatchObject({
          status: 400,
          code: 6017,
          msg: expect.stringMatching(/^film\.mp4: /),
        })
      }
    })

    test('facts in the format of an older version are probed again', async () => {
      const { file, ...account } = await uploaded('clip.mp4', await clip())
      const { db } = service().running.service
      await db.updateTable('files').set({ facts: '{}' }).where('id', '=', file.file_id).execute()
      const facts = await api(account).send(`/base/file/${file.file_id}/facts`)
      expect(facts).toMatchObject({ code: 200, data: { media: { duration_ms: 1000 } } })
    })

    test('a clip has facts, a contact sheet and a waveform', async () => {
      const { file, apiKey, ...account } = await uploaded('clip.mp4', await clip())
      const facts = await api({ ...account, apiKey }).send(`/base/file/${file.file_id}/facts`)
      expect(inspectedFile.parse(facts.data)).toMatchObject({
        file_id: file.file_id,
        upload_user_id: account.id,
        media: {
          duration_ms: 1000,
          // Its first frame is its only key frame.
          video: { width: 320, height: 180, seek_ms: 500 },
          audio: [{ channels: 1 }],
        },
      })
      for (const kind of ['contact_sheet', 'waveform']) {
        const url = `${service().baseUrl}/base/file/${file.file_id}/preview?kind=${kind}`
        const { status, headers, bytes } = await sendRequest(url, { headers: { authorization: apiKey } })
        expect([status, headers['content-type']]).toEqual([200, 'image/jpeg'])
        expect(bytes.subarray(0, 2).toString('hex'), 'begins as a JPEG').toBe('ffd8')
      }
    })
  })
})

/** A clip of a second with a tone. Its picture is plain, so that its previews are small. */
async function clip(): Promise<Uint8Array<ArrayBuffer>> {
  const inputs = ['-f', 'lavfi', '-i', 'color=teal:s=320x180:r=25:d=1', ...tone(1)]
  return new Uint8Array(await readFile(await generateMedia(join(folder, 'clip.mp4'), [...inputs, ...h264])))
}
