import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileRecord, maxFileBytes, type FileRecord } from '../../src/contract/file.ts'
import { createHasher } from '../../src/platform/hash.ts'
import { api, pollUntil } from '../service/api.ts'
import type { TestService } from '../service/in-process.ts'
import { onDatabases, onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope, form, formType, openConnection, type Part } from './raw-http.ts'

const day = 86_400_000

onDatabases('uploads', (service) => {
  const account = () => service().account(0)

  test('an upload returns the file record; details add the uploader', async () => {
    const own = await account()
    const { status, code, msg, data } = await api(own).upload('Grüße 你好.TXT', 'some bytes')
    expect([status, code, msg]).toEqual([200, 200, 'the file was uploaded'])
    expect(fileRecord.parse(data)).toEqual(data)
    expect(data).toMatchObject({
      original_name: 'Grüße 你好.TXT',
      base_ext: '.txt',
      size: 10,
      blake3_id: await blake3('some bytes'),
      download_url: `/base/file/${data.file_id}/download`,
      is_expired: false,
    })
    expect(Date.parse(data.expire_at) - Date.parse(data.created_at)).toBe(60 * day)
    const details = await api(own).send(`/base/file/${data.file_id}`)
    expect(details.data).toEqual({ ...data, upload_user_id: own.id })
  })

  test('equal content of the same type is one renewed record; of another type a second one', async () => {
    const calls = api(await account())
    const first = await calls.upload('a.txt', 'the same')
    await ageUploadedFile(service(), first.data, 10 * day)
    const again = await calls.upload('b.txt', 'the same')
    expect(again.data).toMatchObject({ file_id: first.data.file_id, original_name: 'a.txt' })
    expect(again.data.expire_at >= first.data.expire_at).toBe(true)
    const other = await calls.upload('a.vtt', 'the same')
    expect(other.data.file_id).not.toBe(first.data.file_id)
    expect(other.data.blake3_id).toBe(first.data.blake3_id)
  })

  test('an expired file is unknown until its content is uploaded again', async () => {
    const calls = api(await account())
    const { data } = await calls.upload('a.txt', 'to expire')
    await ageUploadedFile(service(), data, 60 * day)
    for (const part of ['', '/facts', '/download', '/preview?kind=waveform']) {
      expect(await calls.send(`/base/file/${data.file_id}${part}`)).toMatchObject({
        status: 404,
        code: 6004,
        data: null,
      })
    }
    const again = await calls.upload('a.txt', 'to expire')
    expect(again.data).toMatchObject({ file_id: data.file_id, is_expired: false })
    expect((await calls.send(`/base/file/${data.file_id}`)).status).toBe(200)
  })

  test('equal content of two accounts has two records', async () => {
    const [own, other] = [api(await account()), api(await account())]
    const { data } = await own.upload('a.txt', 'shared content')
    expect((await other.upload('a.txt', 'shared content')).data.file_id).not.toBe(data.file_id)
    expect(await other.send(`/base/file/${data.file_id}`)).toMatchObject({ status: 404, code: 6004 })
  })

  test('concurrent uploads of equal content create one record', async () => {
    const own = await account()
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => api(own).upload(`${index}.txt`, 'at the same time')),
    )
    expect(new Set(responses.map(({ data }) => data.file_id)).size).toBe(1)
  })
})

describe('rejected uploads', () => {
  onOneDatabase((service) => {
    const send = async (body: Buffer | string, type = formType) => {
      const { apiKey } = await service().account(0)
      const headers = { authorization: apiKey, 'content-type': type }
      return envelope(
        await sendRequest(`${service().baseUrl}/base/file/upload`, { method: 'POST', headers, body }),
      )
    }
    const file = (filename: string, content = 'some bytes'): Part => ({ field: 'file', filename, content })

    test.for<[string, Part[], number, RegExp]>([
      ['an unsupported type', [file('setup.exe')], 6001, /\.exe/],
      ['a name without a type', [file('movie')], 6001, /\(none\)/],
      ['a name that is only an extension', [file('.mp4')], 6001, /\(none\)/],
      ['a type disguised by the direction of text', [file('clip\u202e4pm.exe')], 6001, /\.exe/],
      ['an empty file', [file('a.mp4', '')], 6011, /empty/],
      ['no file', [{ field: 'note', content: 'x' }], 6013, /file/],
      ['a plain field named file', [{ field: 'file', content: 'x' }], 6013, /file/],
      ['a file under another name', [{ field: 'clip', filename: 'a.txt', content: 'x' }], 6013, /file/],
      ['two files', [file('a.txt'), file('b.txt')], 6016, /one file/],
      ['another file after it', [file('a.txt'), { ...file('b.txt'), field: 'more' }], 6016, /one file/],
    ])('%s: %#', async ([, parts, code, message]) => {
      const response = await send(form(parts))
      expect(response).toMatchObject({ status: 400, code, data: null })
      expect(response.msg).toMatch(message)
      await expectNothingLeft(service())
    })

    test.for([
      ['JSON', '{"file":"a.txt"}', 'application/json', 6013],
      ['a form without parts', '--edge--\r\n', formType, 6013],
      ['a form without a boundary', form([file('a.txt')]), 'multipart/form-data', 6016],
    ] as const)('a body of %s', async ([, body, type, code]) => {
      expect(await send(body, type)).toMatchObject({ status: 400, code, data: null })
    })

    test('a form that ends early in a complete request', async () => {
      for (const parts of [[file('a.txt')], [{ field: 'note', content: 'x' }]]) {
        expect(await send(form(parts, { closed: false }))).toMatchObject({ status: 400, code: 6036 })
      }
      await expectNothingLeft(service())
    })

    test('other fields are ignored, and names are sanitized', async () => {
      const named = async (filename: string) => {
        const parts = [{ field: 'note', content: 'x' }, file(filename), { field: 'end', content: 'y' }]
        const response = await send(form(parts))
        return (response.data as FileRecord).original_name
      }
      expect(await named('../../etc/passwd.txt')).toBe('passwd.txt')
      expect(await named('C:\\films\\a.txt')).toBe('a.txt')
      expect(await named('take %22one%22.txt')).toBe('take "one".txt')
      expect(await named('a\u0007b\u200b\u2028.txt')).toBe('ab.txt')
      const long = await named(`${'长'.repeat(200)}.txt`)
      expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255)
      expect(long).toMatch(/^长+\.txt$/)
    })

    test('a declared size over the limit, before it is sent', async () => {
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(service(), maxFileBytes + 2 ** 21))
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 413 [^]*"code":6002/)
    })

    test('the response does not wait for the rest of the body', async () => {
      using line = await openConnection(service().baseUrl)
      const body = form([file('setup.exe', 'x'.repeat(1000))], { closed: false })
      line.socket.write(Buffer.concat([Buffer.from(head(service(), 10 * 2 ** 30)), body]))
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6001/)
      const feed = setInterval(() => line.socket.write(Buffer.alloc(2 ** 16)), 20)
      await line.closed
      clearInterval(feed)
    })

    test('a client sending a large file can read the error', async () => {
      const large = form([file('setup.exe', 'x'.repeat(30_000_000))])
      expect(await send(large)).toMatchObject({ status: 400, code: 6001 })
      const headers = { authorization: 'wrong', 'content-type': formType }
      const url = `${service().baseUrl}/base/file/upload`
      const response = envelope(await sendRequest(url, { method: 'POST', headers, body: large }))
      expect(response).toMatchObject({ status: 401, code: 6502 })
    })

    test('a disconnected client leaves nothing behind', async () => {
      const before = await stored(service())
      using line = await openConnection(service().baseUrl)
      const body = form([file('a.txt', 'x'.repeat(300_000))], { closed: false })
      line.socket.write(Buffer.concat([Buffer.from(head(service(), 2 ** 20)), body]))
      await pollUntil(
        () => readdir(join(service().dataDir, 'files', 'incoming')),
        (names) => names.length === 1,
      )
      expect(await service().running.isBusy(), 'an upload counts as work').toBe(true)
      line.socket.destroy()
      await expectNothingLeft(service())
      expect(await stored(service())).toEqual(before)
      expect(await service().running.isBusy()).toBe(false)
    })
  })
})

function head({ apiKey }: TestService, length: number): string {
  return (
    `POST /base/file/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${apiKey}\r\n` +
    `Content-Type: ${formType}\r\nContent-Length: ${length}\r\n\r\n`
  )
}

async function blake3(text: string): Promise<string> {
  const hasher = await createHasher()
  hasher.update(Buffer.from(text))
  return hasher.digest()
}

/** Makes a file older. */
async function ageUploadedFile({ running }: TestService, file: FileRecord, ms: number): Promise<void> {
  await running.service.db
    .updateTable('files')
    .set((eb) => ({ expire_at: eb('expire_at', '-', ms), created_at: eb('created_at', '-', ms) }))
    .where('id', '=', file.file_id)
    .execute()
}

async function stored({ running }: TestService): Promise<string[]> {
  const listed: string[] = []
  for await (const { blake3: name } of running.service.files.list()) listed.push(name)
  return listed.toSorted()
}

async function expectNothingLeft(service: TestService): Promise<void> {
  const incoming = join(service.dataDir, 'files', 'incoming')
  expect(
    await pollUntil(
      () => readdir(incoming),
      (names) => names.length === 0,
    ),
  ).toEqual([])
  const rows = await service.running.service.db.selectFrom('files').select('blake3').execute()
  const recorded = new Set(rows.map((row) => row.blake3))
  expect((await stored(service)).filter((name) => !recorded.has(name))).toEqual([])
}
