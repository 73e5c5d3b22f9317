import { describe, expect, test } from 'vitest'
import { maxFileBytes, type FileRecord } from '../../src/contract/file.ts'
import { uploadSession } from '../../src/contract/upload.ts'
import { api } from '../service/api.ts'
import { ageFile, chunkedUploadClient, setPartSize, hashOf } from './chunked-upload-client.ts'
import { onDatabases } from './on-databases.ts'

const day = 24 * 3_600_000

onDatabases('the start of a chunked upload', (service) => {
  describe('instant', () => {
    test('known content: its renewed record, without a session', async () => {
      const account = await service().account(0)
      const { data: file } = await api(account).upload('first.txt', 'instant bytes')
      await ageFile(service().running.service.db, file, 10 * day)
      const response = await chunkedUploadClient(account).init({
        filename: 'second.txt',
        size: 13,
        blake3_id: await hashOf('instant bytes'),
      })
      expect([response.status, response.code]).toEqual([200, 200])
      expect(response.msg).toMatch(/exists.*renewed/)
      expect(response.data).toMatchObject({
        file_id: file.file_id,
        original_name: 'first.txt',
        size: 13,
        instant: true,
        is_expired: false,
      })
      expect(response.data).not.toHaveProperty('upload_id')
      const details = await api(account).send<FileRecord>(`/base/file/${file.file_id}`)
      expect(Date.parse(details.data.expire_at)).toBeGreaterThan(Date.now() + 59 * day)
    })

    test('known content of another type: a new record', async () => {
      const account = await service().account(0)
      const { data: file } = await api(account).upload('first.txt', 'shared bytes')
      const blake3_id = await hashOf('shared bytes')
      const { data } = await chunkedUploadClient(account).init({
        filename: 'second.vtt',
        size: 12,
        blake3_id,
      })
      expect(data).toMatchObject({ instant: true, base_ext: '.vtt', original_name: 'second.vtt', blake3_id })
      const { file_id } = data as unknown as FileRecord
      expect(file_id).not.toBe(file.file_id)
      expect(Buffer.from(await api(account).download(file_id)).toString()).toBe('shared bytes')
    })

    test('an expired file needs a session; its record is then renewed and reused', async () => {
      const account = await service().account(0)
      const { data: file } = await api(account).upload('first.txt', 'expired bytes')
      await ageFile(service().running.service.db, file, 60 * day)
      const calls = chunkedUploadClient(account)
      const { data: session } = await calls.init({
        filename: 'second.txt',
        size: 13,
        blake3_id: file.blake3_id,
      })
      expect(uploadSession.strict().parse(session)).toEqual(session)
      await calls.put(session.upload_id, 0, 'expired bytes')
      expect((await calls.complete(session.upload_id)).data).toMatchObject({
        file_id: file.file_id,
        original_name: 'first.txt',
        is_expired: false,
      })
    })

    test('content of another account or size is not revealed', async () => {
      const account = await service().account(0)
      await api(account).upload('first.txt', 'secret bytes')
      const body = { filename: 'a.txt', size: 12, blake3_id: await hashOf('secret bytes') }
      expect((await chunkedUploadClient(await service().account(0)).init(body)).data).toHaveProperty(
        'upload_id',
      )
      expect((await chunkedUploadClient(account).init({ ...body, size: 13 })).data).toHaveProperty(
        'upload_id',
      )
    })
  })

  describe('an open upload', () => {
    const body = async () => ({ filename: 'a.txt', size: 13, blake3_id: await hashOf('bytes to split') })

    test('with the same name, size and hash is returned with its missing parts and resumes', async () => {
      const calls = chunkedUploadClient(await service().account(0))
      const { data: first } = await calls.init({ ...(await body()), size: 14 })
      await setPartSize(service().running.service.db, first.upload_id, 6)
      await calls.put(first.upload_id, 1, 'to spl')
      const { data: again } = await calls.init({ ...(await body()), size: 14 })
      expect(again).toMatchObject({ upload_id: first.upload_id, part_size: 6, total_parts: 3 })
      expect(again).toMatchObject({ size: 14, received: 1, missing: [0, 2] })
      await calls.put(first.upload_id, 0, 'bytes ')
      await calls.put(first.upload_id, 2, 'it')
      expect((await calls.complete(first.upload_id)).data).toMatchObject({ original_name: 'a.txt', size: 14 })
      expect((await calls.init({ ...(await body()), size: 14 })).data).toMatchObject({ instant: true })
    })

    test('is created once for concurrent requests', async () => {
      const calls = chunkedUploadClient(await service().account(0))
      const declared = await body()
      const sessions = await Promise.all(Array.from({ length: 8 }, () => calls.init(declared)))
      expect(new Set(sessions.map(({ data }) => data.upload_id)).size).toBe(1)
      expect(sessions.filter(({ data }) => 'missing' in data)).toHaveLength(7)
    })

    test('with another account, name, size or hash, or without a hash, is not reused', async () => {
      const calls = chunkedUploadClient(await service().account(0))
      const declared = await body()
      const { data: first } = await calls.init(declared)
      const others = await Promise.all([
        chunkedUploadClient(await service().account(0)).init(declared),
        calls.init({ ...declared, filename: 'b.txt' }),
        calls.init({ ...declared, size: 12 }),
        calls.init({ ...declared, blake3_id: await hashOf('other bytes') }),
        calls.init({ filename: 'a.txt', size: 13 }),
      ])
      for (const { data } of others) {
        expect(data.upload_id).not.toBe(first.upload_id)
        expect(data).not.toHaveProperty('missing')
      }
      await calls.abort(first.upload_id)
      expect((await calls.init(declared)).data.upload_id).not.toBe(first.upload_id)
    })
  })

  describe('init', () => {
    test.for<[string, unknown, number, number, RegExp]>([
      ['an unsupported type', { filename: 'setup.exe', size: 1 }, 6001, 400, /\.exe/],
      ['a name without a type', { filename: 'movie', size: 1 }, 6001, 400, /\(none\)/],
      ['a disguised type', { filename: 'clip\u202e4pm.exe', size: 1 }, 6001, 400, /\.exe/],
      ['nothing', { filename: 'a.txt', size: 0 }, 6011, 400, /empty/],
      ['20 GB and a byte', { filename: 'a.txt', size: maxFileBytes + 1 }, 6002, 413, /larger/],
      ['more than can be counted', { filename: 'a.txt', size: 1e300 }, 6002, 413, /larger/],
      ['less than nothing', { filename: 'a.txt', size: -1 }, 6016, 400, /size/],
      ['half a byte', { filename: 'a.txt', size: 0.5 }, 6016, 400, /size/],
      ['a size as text', { filename: 'a.txt', size: '1' }, 6016, 400, /size/],
      ['no size', { filename: 'a.txt' }, 6013, 400, /size/],
      ['no name', { size: 1 }, 6013, 400, /filename/],
      ['an invalid name', { filename: 7, size: 1 }, 6016, 400, /filename/],
      ['an invalid hash', { filename: 'a.txt', size: 1, blake3_id: 'x' }, 6016, 400, /blake3_id/],
      ['a list', [], 6016, 400, /object/],
    ])('%s: %#', async ([, body, code, status, message]) => {
      const response = await chunkedUploadClient(await service().account(0)).init(body)
      expect(response).toMatchObject({ status, code, data: null })
      expect(response.msg).toMatch(message)
    })

    test('20 GB, a sanitized name, a null hash', async () => {
      const account = await service().account(0)
      const body = { filename: '../../etc/passwd.txt', size: maxFileBytes, blake3_id: null }
      const { data } = await chunkedUploadClient(account).init(body)
      expect(data.total_parts).toBe(640)
      const row = await service()
        .running.service.db.selectFrom('uploads')
        .select('name')
        .where('id', '=', data.upload_id)
        .executeTakeFirst()
      expect(row?.name).toBe('passwd.txt')
    })
  })
})
