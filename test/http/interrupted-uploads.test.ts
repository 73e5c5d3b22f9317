import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { extensionsByKind } from '../../src/contract/file-kind.ts'
import type { FileRecord } from '../../src/contract/file.ts'
import { api, pollUntil } from '../service/api.ts'
import type { TestService } from '../service/in-process.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope, form, formType, openConnection } from './raw-http.ts'

/** Request head of an upload; the test adds the body and its framing. */
function head({ apiKey }: { apiKey: string }, ...headers: string[]): string {
  const lines = [
    'POST /base/file/upload HTTP/1.1',
    'Host: localhost',
    `Authorization: ${apiKey}`,
    `Content-Type: ${formType}`,
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

const listIncoming = ({ dataDir }: TestService) => readdir(join(dataDir, 'files', 'incoming'))
const listBlobs = async ({ dataDir }: TestService) =>
  (await readdir(join(dataDir, 'files', 'blobs'), { recursive: true })).filter((name) => name.length > 3)

async function countRecords({ running }: TestService): Promise<number> {
  return (await running.service.db.selectFrom('files').select('id').execute()).length
}

/** Waits until an upload is cleaned up and asserts that nothing was stored. */
async function expectNothingStored(service: TestService, before: { blobs: number; records: number }) {
  await pollUntil(
    () => listIncoming(service),
    ({ length }) => length === 0,
  )
  expect({ blobs: (await listBlobs(service)).length, records: await countRecords(service) }).toEqual(before)
}

const storedState = async (service: TestService) => ({
  blobs: (await listBlobs(service)).length,
  records: await countRecords(service),
})

const openForm = form([{ field: 'file', filename: 'a.txt', content: 'x'.repeat(200_000) }], { closed: false })

onOneDatabase((service) => {
  describe('interrupted uploads', () => {
    test('a wrong key: an endless body gets a response, is cut off and never stored', async () => {
      const before = await storedState(service())
      using line = await openConnection(service().baseUrl)
      line.socket.write(head({ apiKey: 'wrong' }, 'Transfer-Encoding: chunked'))
      const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(2 ** 16, 'x'), Buffer.from('\r\n')])
      const received: Promise<string[]>[] = []
      const feed = setInterval(() => {
        line.socket.write(chunk)
        received.push(listIncoming(service()))
      }, 10)
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 401 [^]*"code":6502/)
      await line.closed
      clearInterval(feed)
      expect((await Promise.all(received)).flat(), 'not even begun to be stored').toEqual([])
      await expectNothingStored(service(), before)
    })

    test('in the middle of a chunk', async () => {
      const before = await storedState(service())
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(service(), 'Transfer-Encoding: chunked'))
      line.socket.write(`${(openForm.length * 2).toString(16)}\r\n`)
      line.socket.end(openForm)
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6036/)
      await line.closed
      await expectNothingStored(service(), before)
    })

    test('with an invalid chunk', async () => {
      const before = await storedState(service())
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(service(), 'Transfer-Encoding: chunked'))
      line.socket.write(`${openForm.length.toString(16)}\r\n`)
      line.socket.write(openForm)
      line.socket.write('\r\nnot a length\r\n')
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":(6036|6016)/)
      await line.closed
      await expectNothingStored(service(), before)
    })

    test('with fewer bytes than announced', async () => {
      const before = await storedState(service())
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(service(), `Content-Length: ${openForm.length * 2}`))
      line.socket.end(openForm)
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6036/)
      await line.closed
      await expectNothingStored(service(), before)
    })

    test('with more bytes than announced: the form has no end', async () => {
      const before = await storedState(service())
      const completeForm = form([{ field: 'file', filename: 'a.txt', content: 'x'.repeat(1000) }])
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(service(), `Content-Length: ${completeForm.length - 20}`))
      line.socket.write(completeForm)
      // The excess bytes are not a valid request; the first response closes the connection.
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":(6036|6016)/)
      await expectNothingStored(service(), before)
    })

    test('two lengths, or a length and chunks: rejected by the parser, because proxies interpret them differently', async () => {
      for (const headers of [
        ['Content-Length: 5', 'Content-Length: 50'],
        ['Content-Length: 5', 'Transfer-Encoding: chunked'],
      ]) {
        using line = await openConnection(service().baseUrl)
        line.socket.write(head(service(), ...headers))
        expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6016/)
        await line.closed
      }
    })

    test('many at once, each cut at another position', async () => {
      const before = await storedState(service())
      await Promise.all(
        Array.from({ length: 20 }, async (_, turn) => {
          using line = await openConnection(service().baseUrl)
          line.socket.write(head(service(), `Content-Length: ${openForm.length + 100}`))
          line.socket.write(openForm.subarray(0, turn * 10_000))
          await new Promise((resolve) => setTimeout(resolve, turn))
        }),
      )
      await expectNothingStored(service(), before)
      await pollUntil(
        () => service().running.isBusy(),
        (busy) => !busy,
      )
    })
  })

  describe('complete uploads', () => {
    test('every supported type, whatever the case of its extension', async () => {
      const calls = api(await service().account(0))
      for (const extension of Object.values(extensionsByKind).flat()) {
        const name = `Clip${extension.toUpperCase()}`
        const { status, data } = await calls.upload(name, `bytes of ${name}`)
        expect([status, data.base_ext, data.original_name]).toEqual([200, extension, name])
      }
    })

    test('are durable before the response: in place, read-only, without temporary files', async () => {
      const { data } = await api(await service().account(0)).upload('a.txt', 'to be kept')
      const path = join(service().dataDir, 'files', 'blobs', data.blake3_id.slice(0, 2), data.blake3_id)
      const { size, mode } = await stat(path)
      expect([size, mode & 0o777]).toEqual([10, 0o400])
      expect(await listIncoming(service())).toEqual([])
    })

    test('concurrent different files keep their content', async () => {
      const calls = api(await service().account(0))
      const contents = Array.from({ length: 12 }, (_, turn) => `${turn}`.repeat(100_000 + turn))
      const records = await Promise.all(contents.map((content, turn) => calls.upload(`${turn}.txt`, content)))
      for (const [turn, { data }] of records.entries()) {
        expect(Buffer.from(await calls.download(data.file_id)).toString() === contents[turn]).toBe(true)
      }
    })

    test.for([
      ['a path', '/etc/passwd.txt', 'passwd.txt'],
      ['a drive', 'C:\\x.mp4', 'x.mp4'],
      ['a zero', 'a\0b.txt', 'ab.txt'],
      ['a direction', 'a\u202etxt.mp4', 'atxt.mp4'],
      ['300 letters', `${'n'.repeat(300)}.txt`, `${'n'.repeat(251)}.txt`],
      ['emoji', '👩‍👧 🎬.txt', '👩‍👧 🎬.txt'],
      ['a line in escapes', 'a%0D%0AX-Evil: 1.txt', 'aX-Evil: 1.txt'],
      ['dots', '..a...txt', '..a...txt'],
      ['markup', '<img src=x>.txt', '<img src=x>.txt'],
    ] as const)('a name with %s', async ([, filename, storedName]) => {
      const account = await service().account(0)
      const { data } = await upload(account, `form-data; name="file"; filename="${filename}"`)
      expect(data?.original_name).toBe(storedName)
      const { headers } = await sendRequest(account.baseUrl + String(data?.download_url), {
        headers: { authorization: account.apiKey },
      })
      expect(Object.keys(headers)).not.toContain('x-evil')
      const completeForm = /filename\*=UTF-8''(\S+)$/.exec(String(headers['content-disposition']))?.[1]
      expect(decodeURIComponent(completeForm ?? '')).toBe(storedName)
    })

    test.for([
      ['only dots', 'form-data; name="file"; filename="..."', 6001],
      ['nothing', 'form-data; name="file"; filename=""', 6013],
      ['only control characters', 'form-data; name="file"; filename="%0A"', 6001],
      ['no name at all', 'form-data; name="file"', 6013],
    ] as const)('a name of %s is refused', async ([, disposition, code]) => {
      expect(await upload(await service().account(0), disposition)).toMatchObject({ status: 400, code })
    })

    test('the extended form of a name (RFC 5987) is used', async () => {
      const disposition = `form-data; name="file"; filename*=UTF-8''%E4%BD%A0%E5%A5%BD.txt`
      expect((await upload(await service().account(0), disposition)).data?.original_name).toBe('你好.txt')
    })

    test.for(['__proto__', 'constructor', 'toString'])('a field named %s is rejected', async (name) => {
      const response = await upload(await service().account(0), `form-data; name="${name}"; filename="a.txt"`)
      expect(response).toMatchObject({ status: 400, data: null })
    })
  })
})

/** Uploads ten bytes with this Content-Disposition. */
async function upload({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, disposition: string) {
  const type = 'Content-Type: application/octet-stream'
  const body = `--edge\r\nContent-Disposition: ${disposition}\r\n${type}\r\n\r\nsome bytes\r\n--edge--\r\n`
  const headers = { authorization: apiKey, 'content-type': formType }
  const response = await sendRequest(`${baseUrl}/base/file/upload`, { method: 'POST', headers, body })
  return envelope<FileRecord | null>(response)
}
