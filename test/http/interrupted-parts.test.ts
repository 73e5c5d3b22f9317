import { readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { api, pollUntil } from '../service/api.ts'
import { startSecondApp } from './second-app.ts'
import { chunkedUploadClient, setPartSize, hashOf } from './chunked-upload-client.ts'
import { observeRequests } from './observe-requests.ts'
import { onOneDatabase } from './on-databases.ts'
import { openConnection } from './raw-http.ts'

describe('interrupted and malformed parts', () => {
  onOneDatabase((service) => {
    const files = () => service().running.service.files
    const partFile = (id: string) => join(service().dataDir, 'files', 'parts', id)

    /** Starts an upload of text with this part size. */
    async function startUpload(content: string, partSize: number) {
      const account = await service().account(0)
      const calls = chunkedUploadClient(account)
      const { data } = await calls.init({ filename: 'a.txt', size: content.length })
      await setPartSize(service().running.service.db, data.upload_id, partSize)
      const part = (index: number) => content.slice(index * partSize, (index + 1) * partSize)
      return { account, calls, id: data.upload_id, part }
    }

    /** Request head of a part; the test adds the body and its framing. */
    function head(account: { apiKey: string }, path: string, ...headers: string[]): string {
      const lines = [
        `PUT /base/file/upload/chunk/${path} HTTP/1.1`,
        'Host: localhost',
        `Authorization: ${account.apiKey}`,
        ...headers,
      ]
      return `${lines.join('\r\n')}\r\n\r\n`
    }

    const content = (bytes: number) =>
      Array.from({ length: bytes / 8 }, (_, at) => `${at}`.padStart(8)).join('')
    // More than a single write.
    const half = 1_600_000
    const fullContent = content(2 * half)

    test('an interrupted part is not stored and blocks nothing', async () => {
      const { account, calls, id } = await startUpload(fullContent, fullContent.length)
      for (const framing of [`Content-Length: ${fullContent.length}`, 'Transfer-Encoding: chunked']) {
        using line = await openConnection(service().baseUrl)
        line.socket.write(head(account, `${id}/0`, framing))
        if (framing.startsWith('Transfer')) line.socket.write(`${fullContent.length.toString(16)}\r\n`)
        line.socket.end(fullContent.slice(0, half))
        expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6036/)
        await line.closed
        expect((await calls.status(id)).data).toMatchObject({ received: 0, missing: [0] })
      }
      expect((await calls.put(id, 0, fullContent)).code).toBe(200)
    })

    test('requests pipelined behind parts get their responses in order, one at a time', async () => {
      const { account, id, part } = await startUpload(fullContent, half)
      using line = await openConnection(service().baseUrl)
      const seen = observeRequests(Number(new URL(service().baseUrl).port))
      line.socket.write(head(account, `${id}/0`, `Content-Length: ${half}`) + part(0))
      line.socket.write(head(account, `${id}/1`, 'Transfer-Encoding: chunked'))
      line.socket.write(`${half.toString(16)}\r\n${part(1)}\r\n0\r\n\r\n`)
      const count = 100
      line.socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count))
      line.socket.end(`GET /base/file/upload/${id} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      await line.closed
      const text = await line.waitForText(/$/)
      expect(text.match(/"received":\d/g)).toEqual(['"received":1', '"received":2'])
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([
        ...Array.from({ length: count + 2 }, () => 'HTTP/1.1 200'),
        'HTTP/1.1 401',
      ])
      expect(seen).toMatchObject({ count: count + 3, mostUnfinished: 1, mostInTurn: 1 })
    })

    test('a stalled part is aborted and not stored', async () => {
      const { account, calls, id } = await startUpload(fullContent, fullContent.length)
      const { baseUrl } = await startSecondApp(service().running.service, { idleTimeoutMs: 200 })
      using line = await openConnection(baseUrl)
      line.socket.write(head(account, `${id}/0`, `Content-Length: ${fullContent.length}`))
      line.socket.write(fullContent.slice(0, half))
      await line.closed
      expect(line.socket.bytesRead, 'without a response').toBe(0)
      expect((await calls.put(id, 0, fullContent)).data).toMatchObject({ received: 1 })
    })

    test('without a length: 6025 for too few and too many bytes, without damage to other parts', async () => {
      const { account, calls, id, part } = await startUpload(fullContent, half)
      await calls.put(id, 1, part(1))
      for (const body of [part(0).slice(1), `${part(0)}1`, part(0) + part(0)]) {
        using line = await openConnection(service().baseUrl)
        line.socket.write(head(account, `${id}/0`, 'Transfer-Encoding: chunked'))
        line.socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
        expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6025/)
      }
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(account, `${id}/0`, 'Transfer-Encoding: chunked', 'Content-Type: text/plain'))
      line.socket.write(`${half.toString(16)}\r\n${part(0)}\r\n0\r\n\r\n`)
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 200 /)
      const { data } = await calls.complete(id)
      expect(data.blake3_id).toBe(await hashOf(fullContent))
    })

    test('an error can be read while the body is still being sent', async () => {
      const { account, id } = await startUpload(fullContent, half)
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(account, `${id}/0`, 'Content-Length: 1000000000'))
      line.socket.write(fullContent)
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6025/)
      const feed = setInterval(() => line.socket.write(Buffer.alloc(2 ** 16)), 20)
      await line.closed
      clearInterval(feed)
      // Endless bodies are cut off.
      using endless = await openConnection(service().baseUrl)
      endless.socket.write(head(account, `${id}/0`, 'Transfer-Encoding: chunked'))
      const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(2 ** 16, 'x'), Buffer.from('\r\n')])
      const flood = setInterval(() => endless.socket.write(chunk), 5)
      expect(await endless.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":6025/)
      await endless.closed
      clearInterval(flood)
    })

    test('a part sent again while the first is stalled is stored at once, and both get a response', async () => {
      const { account, calls, id, part } = await startUpload(fullContent, half)
      using stalled = await openConnection(service().baseUrl)
      stalled.socket.write(head(account, `${id}/0`, `Content-Length: ${half}`))
      stalled.socket.write(part(0).slice(0, half / 2))
      await pollUntil(
        async () => (await readdir(join(service().dataDir, 'files', 'parts'))).includes(id),
        Boolean,
      )
      expect((await calls.put(id, 0, part(0))).data).toMatchObject({ received: 1 })
      await calls.put(id, 1, part(1))
      stalled.socket.write(part(0).slice(half / 2))
      expect(await stalled.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 200 [^]*"received":1/)
      expect((await calls.complete(id)).data.blake3_id).toBe(await hashOf(fullContent))
    })

    test('interrupted while being replaced, a part is missing; with equal bytes it stays', async () => {
      const { account, calls, id, part } = await startUpload(fullContent, half)
      await calls.put(id, 0, part(0))
      for (const [bytes, missing] of [
        [part(0).slice(0, half - 8), [1]],
        ['other'.repeat(half / 6), [0, 1]],
      ] as const) {
        using line = await openConnection(service().baseUrl)
        line.socket.write(head(account, `${id}/0`, `Content-Length: ${half}`))
        line.socket.end(bytes)
        await line.closed
        await expect.poll(async () => (await calls.status(id)).data.missing).toEqual(missing)
      }
    })

    test('a part of an aborted upload is rejected and leaves nothing behind', async () => {
      const { account, calls, id, part } = await startUpload(fullContent, half)
      using line = await openConnection(service().baseUrl)
      line.socket.write(head(account, `${id}/0`, `Content-Length: ${half}`))
      line.socket.write(part(0).slice(0, half / 2))
      const hasParts = async () => (await readdir(join(service().dataDir, 'files', 'parts'))).includes(id)
      await pollUntil(hasParts, Boolean)
      expect((await calls.abort(id)).code).toBe(200)
      line.socket.write(part(0).slice(half / 2))
      expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 404 [^]*"code":6024/)
      expect(await hasParts()).toBe(false)
    })

    test('replacing a part waits while the upload is completed and is then rejected', async () => {
      const { account, calls, id, part } = await startUpload(fullContent, half)
      for (const index of [0, 1]) await calls.put(id, index, part(index))
      const gate = Promise.withResolvers<void>()
      const { assemble } = files()
      const finishing = vi.spyOn(files(), 'assemble').mockImplementation(async (...args) => {
        await gate.promise
        return await assemble(...args)
      })
      onTestFinished(() => finishing.mockRestore())
      const completion = calls.complete(id)
      await vi.waitFor(() => expect(finishing).toHaveBeenCalled())
      const late = calls.put(id, 0, 'other'.repeat(half / 5))
      const same = calls.put(id, 1, part(1))
      const aborting = calls.abort(id)
      expect((await same).code, 'equal bytes wait for nothing').toBe(200)
      gate.resolve()
      const { data } = await completion
      expect(data.blake3_id).toBe(await hashOf(fullContent))
      expect(await late).toMatchObject({ status: 404, code: 6024 })
      expect((await aborting).code).toBe(200)
      expect(Buffer.from(await api(account).download(data.file_id)).toString() === fullContent).toBe(true)
    })

    test('after a failed insert the upload can be completed, and no other account has its content', async () => {
      const { account, calls, id, part } = await startUpload(fullContent, half)
      for (const index of [0, 1]) await calls.put(id, index, part(index))
      const { db } = service().running.service
      const broken = vi.spyOn(db, 'transaction').mockImplementation(() => {
        throw new Error('the database is away')
      })
      onTestFinished(() => broken.mockRestore())
      expect(await calls.complete(id)).toMatchObject({ status: 500, code: 6500 })
      broken.mockRestore()
      expect(await calls.put(id, 0, 'other'.repeat(half / 5))).toMatchObject({ status: 404, code: 6024 })
      const { data } = await calls.complete(id)
      expect(data.blake3_id).toBe(await hashOf(fullContent))
      expect(Buffer.from(await api(account).download(data.file_id)).toString() === fullContent).toBe(true)
    })

    test.skipIf(process.platform !== 'linux')(
      'a full disk: 6002 with the free space, and the upload can continue',
      async () => {
        const { calls, id, part } = await startUpload(fullContent, half)
        await symlink('/dev/full', partFile(id))
        const full = await calls.put(id, 0, part(0))
        expect(full).toMatchObject({ status: 413, code: 6002, data: null })
        expect(full.msg).toMatch(/: [\d.]+ (bytes|[KMGT]iB) are free$/)
        await rm(partFile(id))
        await writeFile(partFile(id), '')
        for (const index of [1, 0]) expect((await calls.put(id, index, part(index))).code).toBe(200)
        expect((await calls.complete(id)).code).toBe(200)
      },
    )

    test('parts lost on disk: 6028', async () => {
      const { calls, id, part } = await startUpload(fullContent, half)
      for (const index of [0, 1]) await calls.put(id, index, part(index))
      await truncate(partFile(id), half)
      const short = await calls.complete(id)
      expect(short).toMatchObject({ status: 400, code: 6028, data: null })
      expect(short.msg).toContain(String(half))
      await rm(partFile(id))
      expect(await calls.complete(id)).toMatchObject({ status: 400, code: 6028 })
    })

    test('an upload keeps the service busy for minutes after its last part, not for hours', async () => {
      const { id } = await startUpload(fullContent, half)
      expect(await service().running.isBusy()).toBe(true)
      await service()
        .running.service.db.updateTable('uploads')
        .set((eb) => ({ expire_at: eb('expire_at', '-', 6 * 60_000) }))
        .where('file_id', 'is', null)
        .execute()
      expect(await service().running.isBusy()).toBe(false)
      expect((await chunkedUploadClient(await service().account(0)).status(id)).code).toBe(6024)
    })
  })
})
