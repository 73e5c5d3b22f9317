import fc from 'fast-check'
import { expect, test } from 'vitest'
import { api, pollUntil } from '../service/api.ts'
import type { FileStore } from '../../src/files/store.ts'
import { checkFiles } from '../service/invariants.ts'
import { startSecondApp } from './second-app.ts'
import { chunkedUploadClient } from './chunked-upload-client.ts'
import { soakSize } from '../soak-size.ts'
import { onDatabases } from './on-databases.ts'

onDatabases('deleting', (service) => {
  const parts = () => service().running.service
  const createRemover = (account: { baseUrl: string; apiKey: string }) => (id: string) =>
    api(account).send(`/base/file/${id}`, { method: 'DELETE' })
  const createClient = async (credits = 0) => {
    const account = await service().account(credits)
    return { account, calls: api(account), remove: createRemover(account) }
  }
  const unknown = { status: 404, code: 6004, data: null }

  test('deletes a file with its content; it is unknown afterwards', async () => {
    const { calls, remove } = await createClient()
    const { data: file } = await calls.upload('a.txt', 'only here')
    expect(await remove(file.file_id)).toMatchObject({ status: 200, code: 200, data: '' })
    for (const part of ['', '/download', '/facts', '/preview?kind=waveform']) {
      expect(await calls.send(`/base/file/${file.file_id}${part}`)).toMatchObject(unknown)
    }
    expect(await remove(file.file_id)).toMatchObject(unknown)
    expect(await remove('1234567890123456789')).toMatchObject(unknown)
    expect(await parts().files.has(file.blake3_id)).toBe(false)
    const { data: again } = await calls.upload('a.txt', 'only here')
    expect(again.file_id).not.toBe(file.file_id)
    expect(Buffer.from(await calls.download(again.file_id)).toString()).toBe('only here')
  })

  test('files of other accounts stay, as does content that another record references', async () => {
    const one = await createClient()
    const other = await createClient()
    const { data: ownFile } = await one.calls.upload('a.txt', 'shared bytes')
    const { data: ownCopy } = await one.calls.upload('a.srt', 'shared bytes')
    const { data: otherFile } = await other.calls.upload('b.txt', 'shared bytes')
    expect(await one.remove(otherFile.file_id)).toMatchObject(unknown)
    await one.remove(ownFile.file_id)
    expect(Buffer.from(await one.calls.download(ownCopy.file_id)).toString()).toBe('shared bytes')
    await one.remove(ownCopy.file_id)
    expect(Buffer.from(await other.calls.download(otherFile.file_id)).toString()).toBe('shared bytes')
    await other.remove(otherFile.file_id)
    expect(await parts().files.has(otherFile.blake3_id)).toBe(false)
  })

  test('is rejected while an unfinished task needs the file; results of finished tasks stay', async () => {
    const { calls, remove } = await createClient(5)
    const { data: file } = await calls.upload('a.txt', 'needed')
    const { data: waiting } = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })
    expect(await remove(file.file_id)).toMatchObject({
      status: 409,
      code: 6008,
      msg: expect.stringContaining(waiting.task_id),
      retryable: true,
    })
    await calls.stop(waiting.task_id)
    const { data: task } = await calls.create('test_copy', { file_id: file.file_id })
    const { data: done } = await pollUntil(
      () => calls.query('test_copy', task.task_id),
      ({ data }) => data.status === 'completed',
    )
    const result = String(done.output_result?.['file_id'])
    expect(await remove(file.file_id)).toMatchObject({ status: 200 })
    expect(Buffer.from(await calls.download(result)).toString(), 'equal bytes').toBe('needed')
    expect(await remove(result)).toMatchObject({ status: 200 })
    expect(await parts().files.has(file.blake3_id)).toBe(false)
    expect((await calls.query('test_copy', task.task_id)).data.status).toBe('completed')
    expect((await calls.create('test_copy', { file_id: file.file_id })).code).toBe(6004)
  })

  test('a chunked upload does not restore its file', async () => {
    const { account, remove } = await createClient()
    const upload = chunkedUploadClient(account)
    const { data } = await upload.init({ filename: 'a.txt', size: 5 })
    await upload.put(data.upload_id, 0, 'parts')
    const complete = () => upload.complete(data.upload_id)
    expect(await remove((await complete()).data.file_id)).toMatchObject({ status: 200 })
    expect(await complete()).toMatchObject({ status: 404, code: 6024 })
  })

  test('a download that starts while its file is deleted returns 6004', async () => {
    const { account, calls, remove } = await createClient()
    const { data: file } = await calls.upload('a.txt', 'gone in between')
    const files = {
      ...parts().files,
      async read(blake3: string) {
        await remove(file.file_id)
        return await parts().files.read(blake3)
      },
    }
    const { baseUrl } = await startSecondApp({ ...parts(), files })
    expect(await api({ ...account, baseUrl }).send(file.download_url)).toMatchObject(unknown)
  })

  test('content removed before it is recorded must be uploaded again', async () => {
    const { account, calls } = await createClient()
    const files = {
      ...parts().files,
      async put(...putArgs: Parameters<ReturnType<typeof parts>['files']['put']>) {
        const bytes = await parts().files.put(...putArgs)
        await parts().files.remove(bytes.blake3)
        return bytes
      },
    }
    const { baseUrl } = await startSecondApp({ ...parts(), files })
    expect(await api({ ...account, baseUrl }).upload('a.txt', 'freed')).toMatchObject({
      code: 6036,
      retryable: true,
    })
    expect(await calls.upload('a.txt', 'freed')).toMatchObject({ code: 200 })
  })

  test('concurrent facts, previews and creations report the file as deleted', async () => {
    const { account, calls, remove } = await createClient()
    const files = {
      ...parts().files,
      async withLocalPath<T>(...[bytes, use]: Parameters<FileStore['withLocalPath']>) {
        await parts().files.remove(bytes.blake3)
        return (await parts().files.withLocalPath(bytes, use)) as T
      },
    }
    const { baseUrl } = await startSecondApp({ ...parts(), files })
    const racing = api({ ...account, baseUrl })
    for (const [turn, request] of [
      (id: string) => racing.send(`/base/file/${id}/facts`),
      (id: string) => racing.send(`/base/file/${id}/preview?kind=contact_sheet`),
      (id: string) => racing.create('test_copy', { file_id: id }),
    ].entries()) {
      const { data: file } = await calls.upload('a.mp4', `not probed yet ${turn}`)
      expect(await request(file.file_id)).toMatchObject({ status: 404, code: 6004 })
      await remove(file.file_id)
    }
  })

  test('after concurrent uploads and deletions of equal content every record has its content', async () => {
    const accounts = [await createClient(), await createClient(), await createClient()] as const
    const step = fc.record({ by: fc.nat(2), content: fc.constantFrom('one', 'two'), removes: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const { db } = parts()
        const request = async ({ by, content, removes }: (typeof steps)[number]) => {
          const one = accounts[by] ?? accounts[0]
          if (!removes) return (await one.calls.upload('a.txt', `raced ${content}`)).code
          const row = await db
            .selectFrom('files')
            .select('id')
            .where('account_id', '=', one.account.id)
            .executeTakeFirst()
          return row ? (await one.remove(row.id)).code : 200
        }
        const codes = await Promise.all(steps.map(request))
        expect(codes.filter((code) => ![200, 6004, 6036].includes(code))).toEqual([])
        await checkFiles(db, parts().files)
        for await (const { blake3 } of parts().files.list()) {
          const named = await db
            .selectFrom('files')
            .select('id')
            .where('blake3', '=', blake3)
            .executeTakeFirst()
          expect(named, 'bytes nobody names').toBeDefined()
        }
      }),
      { numRuns: soakSize(4, 8) },
    )
  })
})
