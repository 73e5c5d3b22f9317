import { describe, expect, test } from 'vitest'
import { fileRecord } from '../../src/contract/file.ts'
import { partBytes, uploadPart, uploadSession, uploadStatus } from '../../src/contract/upload.ts'
import { removeExpiredUploads } from '../../src/files/uploads.ts'
import { api } from '../service/api.ts'
import { ageFile, chunkedUploadClient, setPartSize, hashOf } from './chunked-upload-client.ts'
import { onDatabases } from './on-databases.ts'
import { sampleCases } from '../soak-size.ts'

const hour = 3_600_000
const day = 24 * hour

onDatabases('chunked uploads', (service) => {
  const db = () => service().running.service.db

  /** Starts an upload of text in parts of ten bytes. */
  async function startUpload(content: string, more: Record<string, unknown> = {}) {
    const account = await service().account(0)
    const calls = chunkedUploadClient(account)
    const { data } = await calls.init({ filename: 'a.txt', size: Buffer.byteLength(content), ...more })
    await setPartSize(db(), data.upload_id, 10)
    const part = (index: number) => content.slice(index * 10, index * 10 + 10)
    return { account, calls, id: data.upload_id, part, session: data }
  }

  async function ageUpload(id: string, ms: number): Promise<void> {
    await db()
      .updateTable('uploads')
      .set((eb) => ({ expire_at: eb('expire_at', '-', ms) }))
      .where('id', '=', id)
      .execute()
  }

  describe('a whole upload', () => {
    // The client sends parts of full size in its own tests.
    test.for(sampleCases([10, partBytes], 1))(
      'concurrent parts of %i bytes in any order become the file',
      async (size) => {
        const account = await service().account(0)
        const calls = chunkedUploadClient(account)
        const bytes = Buffer.alloc(2 * size + 7)
        const step = Math.min(4096, size)
        for (let at = 0; at < bytes.length - 4; at += step) bytes.writeUInt32LE(at + 1, at)
        const part = (index: number) => bytes.subarray(index * size, (index + 1) * size)
        const contentHash = await hashOf(bytes)

        const session = await calls.init({
          filename: 'Grüße.TXT',
          size: bytes.length,
          blake3_id: contentHash.toUpperCase(),
        })
        expect([session.status, session.code]).toEqual([200, 200])
        expect(uploadSession.strict().parse(session.data)).toMatchObject({
          part_size: 33_554_432,
          total_parts: Math.ceil(bytes.length / partBytes),
        })
        const lifetimeMs = Date.parse(`${session.data.expires_at.replace(' ', 'T')}Z`) - Date.now()
        expect(lifetimeMs).toBeGreaterThan(72 * hour - 60_000)
        expect(lifetimeMs).toBeLessThanOrEqual(72 * hour)

        const id = session.data.upload_id
        await setPartSize(db(), id, size)
        const last = await calls.put(id, 2, part(2), await hashOf(part(2)))
        expect(uploadPart.strict().parse(last.data)).toEqual({
          upload_id: id,
          index: 2,
          received: 1,
          total_parts: 3,
        })
        const state = await calls.status(id)
        expect(uploadStatus.strict().parse(state.data)).toMatchObject({
          size: bytes.length,
          received: 1,
          missing: [0, 1],
        })
        const responses = await Promise.all([1, 0].map(async (index) => calls.put(id, index, part(index))))
        expect(new Set(responses.map(({ data }) => data.received))).toEqual(new Set([2, 3]))
        expect((await calls.status(id)).data).toMatchObject({ received: 3, missing: [] })

        const done = await calls.complete(id)
        expect([done.status, done.code, done.msg]).toEqual([200, 200, 'the file was uploaded'])
        expect(fileRecord.strict().parse(done.data)).toMatchObject({
          original_name: 'Grüße.TXT',
          base_ext: '.txt',
          size: bytes.length,
          blake3_id: contentHash,
          is_expired: false,
        })
        expect(Date.parse(done.data.expire_at) - Date.parse(done.data.created_at)).toBe(60 * day)
        expect(bytes.equals(Buffer.from(await api(account).download(done.data.file_id)))).toBe(true)
      },
    )

    test('a repeated or concurrent complete returns the same record', async () => {
      const { calls, id, part } = await startUpload('completed twice')
      await calls.put(id, 0, part(0))
      await calls.put(id, 1, part(1))
      const [first, second] = await Promise.all([calls.complete(id), calls.complete(id)])
      expect(first).toMatchObject({ status: 200, data: { size: 15 } })
      expect(second).toEqual(first)
      expect(await calls.complete(id)).toEqual(first)
      expect((await calls.status(id)).data).toMatchObject({ received: 2, missing: [] })
      expect(await calls.put(id, 0, part(0))).toMatchObject({ status: 404, code: 6024 })
    })

    test('equal content of the same type is one renewed record, in parts and in one request', async () => {
      const { account, calls, id, part } = await startUpload('the same bytes')
      const { data: first } = await api(account).upload('first.txt', 'the same bytes')
      await ageFile(db(), first, 10 * day)
      await calls.put(id, 0, part(0))
      await calls.put(id, 1, part(1))
      const { data } = await calls.complete(id)
      expect(data).toMatchObject({ file_id: first.file_id, original_name: 'first.txt' })
      expect(Date.parse(data.expire_at)).toBeGreaterThan(Date.now() + 59 * day)
    })
  })

  describe('parts', () => {
    test.for<[string, number | string, string]>([
      ['beyond the last', 3, 'x'],
      ['before the first', '-1', '0123456789'],
      ['that is no number', 'first', '0123456789'],
      ['of half a number', '0.5', '0123456789'],
      ['too short', 0, '012345678'],
      ['too long', 0, '0123456789a'],
      ['empty', 0, ''],
      ['a last one as long as the others', 2, '0123456789'],
    ])('6025: %s', async ([, index, body]) => {
      const { calls, id } = await startUpload('x'.repeat(25))
      expect(await calls.put(id, index, body)).toMatchObject({ status: 400, code: 6025, data: null })
      expect((await calls.status(id)).data).toMatchObject({ received: 0, missing: [0, 1, 2] })
    })

    test('6026: a part with a wrong checksum is rejected; a correct one in any case is stored', async () => {
      const { calls, id, part } = await startUpload('x'.repeat(15))
      for (const wrong of [await hashOf('y'), 'deadbeef', '']) {
        expect(await calls.put(id, 0, part(0), wrong)).toMatchObject({ status: 400, code: 6026, data: null })
      }
      expect((await calls.status(id)).data.missing).toEqual([0, 1])
      expect((await calls.put(id, 0, part(0), (await hashOf(part(0))).toUpperCase())).code).toBe(200)
      expect(await calls.put(id, 0, part(0), await hashOf('y'))).toMatchObject({ code: 6026 })
      expect((await calls.status(id)).data.missing, 'what was stored still counts').toEqual([1])
    })

    test('a repeated part counts once; different bytes replace the first', async () => {
      const { account, calls, id } = await startUpload('x'.repeat(25))
      for (const body of ['aaaaaaaaaa', 'aaaaaaaaaa', 'aaaaabbbbb']) {
        expect((await calls.put(id, 0, body)).data.received).toBe(1)
      }
      await calls.put(id, 1, 'cccccccccc')
      await calls.put(id, 2, 'ddddd')
      await calls.put(id, 1, 'eeeeeeeeee')
      const { data } = await calls.complete(id)
      expect(Buffer.from(await api(account).download(data.file_id)).toString()).toBe(
        'aaaaabbbbbeeeeeeeeeeddddd',
      )
      expect(data.blake3_id).toBe(await hashOf('aaaaabbbbbeeeeeeeeeeddddd'))
    })

    test('the same part sent concurrently counts once, and each request gets a response', async () => {
      const { calls, id, part } = await startUpload('x'.repeat(15))
      const responses = await Promise.all(Array.from({ length: 8 }, () => calls.put(id, 1, part(1))))
      expect(responses.map(({ code, data }) => [code, data.received])).toEqual(
        Array.from({ length: 8 }, () => [200, 1]),
      )
    })
  })

  describe('complete', () => {
    test('6027 lists up to 20 missing parts', async () => {
      const { calls, id, part } = await startUpload('x'.repeat(305))
      for (const index of [0, 2, 30]) await calls.put(id, index, part(index))
      const some = await calls.complete(id)
      expect(some).toMatchObject({ status: 400, code: 6027, data: null })
      const indexes = [1, ...Array.from({ length: 19 }, (_, turn) => turn + 3)]
      expect(some.msg).toContain(indexes.join(', '))
      expect(some.msg).not.toContain('22')
      expect(some.msg).toContain('8 more')
      for (let index = 0; index < 30; index++) if (index !== 7) await calls.put(id, index, part(index))
      expect((await calls.complete(id)).msg).toMatch(/: 7$/)
      await calls.put(id, 7, part(7))
      expect((await calls.complete(id)).code).toBe(200)
    })

    test('6026 for content that differs from the declared hash; corrected parts become the file', async () => {
      const content = 'these bytes'
      const { calls, id, part } = await startUpload(content, { blake3_id: await hashOf(content) })
      await calls.put(id, 0, 'those byte')
      await calls.put(id, 1, part(1))
      const wrong = await calls.complete(id)
      expect(wrong).toMatchObject({ status: 400, code: 6026, data: null, retryable: false })
      expect(wrong.msg).toContain(await hashOf(content))
      expect(await calls.complete(id)).toEqual(wrong)
      await calls.put(id, 0, part(0))
      expect((await calls.complete(id)).data).toMatchObject({ blake3_id: await hashOf(content) })
    })
  })

  describe('abort', () => {
    test('an aborted upload is gone; repeating is allowed', async () => {
      const { calls, id, part } = await startUpload('x'.repeat(15))
      await calls.put(id, 0, part(0))
      for (let turn = 0; turn < 2; turn++) {
        expect(await calls.abort(id)).toMatchObject({
          status: 200,
          code: 200,
          data: { upload_id: id, aborted: true },
        })
      }
      const notFound = { status: 404, code: 6024, data: null }
      expect(await calls.status(id)).toMatchObject(notFound)
      expect(await calls.put(id, 0, part(0))).toMatchObject(notFound)
      expect(await calls.complete(id)).toMatchObject(notFound)
      expect(await listStoredUploads()).not.toContain(id)
    })

    test('of an unknown upload succeeds; of a complete one leaves the file', async () => {
      const { account, calls, id, part } = await startUpload('x'.repeat(15))
      for (const unknown of ['0', '1'.repeat(19), 'a b', 'x'.repeat(3000)]) {
        expect((await calls.abort(unknown)).data).toEqual({ upload_id: unknown, aborted: true })
      }
      for (const index of [0, 1]) await calls.put(id, index, part(index))
      const { data } = await calls.complete(id)
      expect((await calls.abort(id)).code).toBe(200)
      expect(await calls.complete(id)).toMatchObject({ status: 404, code: 6024 })
      expect((await api(account).download(data.file_id)).length).toBe(15)
    })
  })

  describe('sessions', () => {
    test('of another account are unknown and unchanged', async () => {
      const { calls, id, part } = await startUpload('x'.repeat(15))
      const other = chunkedUploadClient(await service().account(0))
      const notFound = { status: 404, code: 6024, data: null }
      expect(await other.status(id)).toMatchObject(notFound)
      expect(await other.put(id, 0, part(0))).toMatchObject(notFound)
      expect(await other.complete(id)).toMatchObject(notFound)
      expect((await other.abort(id)).code).toBe(200)
      expect((await calls.status(id)).data.missing).toEqual([0, 1])
    })

    test('with an unknown id return 6024', async () => {
      const calls = chunkedUploadClient(await service().account(0))
      for (const id of ['0', 'init', '%00', '1'.repeat(19), 'x'.repeat(3000)]) {
        expect(await calls.status(id), id).toMatchObject({ status: 404, code: 6024, data: null })
        expect(await calls.put(id, 0, 'x'), id).toMatchObject({ status: 404, code: 6024, data: null })
      }
    })

    test('expire 72 hours after the last part or query', async () => {
      const { calls, id, part, session } = await startUpload('x'.repeat(15))
      await ageUpload(id, 70 * hour)
      const response = await calls.status(id)
      expect(response.data.expires_at >= session.expires_at).toBe(true)
      await ageUpload(id, 70 * hour)
      await calls.put(id, 0, part(0))
      expect((await calls.status(id)).data.expires_at >= session.expires_at).toBe(true)
      await removeExpiredUploads(service().running.service)
      expect(await listStoredUploads()).toContain(id)

      await ageUpload(id, 73 * hour)
      const notFound = { status: 404, code: 6024, data: null }
      expect(await calls.status(id)).toMatchObject(notFound)
      expect(await calls.put(id, 1, part(1))).toMatchObject(notFound)
      expect(await calls.complete(id)).toMatchObject(notFound)
      await removeExpiredUploads(service().running.service)
      expect(await listStoredUploads()).not.toContain(id)
      expect(await db().selectFrom('uploads').select('id').where('id', '=', id).execute()).toEqual([])
      expect((await calls.abort(id)).data).toEqual({ upload_id: id, aborted: true })
    })

    test('need a key', async () => {
      const { id } = await startUpload('x'.repeat(15))
      const unauthorised = chunkedUploadClient({ baseUrl: service().baseUrl, apiKey: 'wrong' })
      const rejection = { status: 401, code: 6502, data: null }
      expect(await unauthorised.init({ filename: 'a.txt', size: 1 })).toMatchObject(rejection)
      expect(await unauthorised.put(id, 0, 'x'.repeat(10))).toMatchObject(rejection)
      expect(await unauthorised.status(id)).toMatchObject(rejection)
      expect(await unauthorised.complete(id)).toMatchObject(rejection)
      expect(await unauthorised.abort(id)).toMatchObject(rejection)
    })
  })

  async function listStoredUploads(): Promise<string[]> {
    const found: string[] = []
    for await (const id of service().running.service.files.listUploads()) found.push(id)
    return found
  }
})
