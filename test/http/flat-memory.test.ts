import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { request } from 'undici'
import type { FileRecord } from '../../src/contract/file.ts'
import { partBytes } from '../../src/contract/upload.ts'
import { startServiceProcess } from '../service/process.ts'
import { peakResidentMiB } from '../service/resident-memory.ts'
import { chunkedUploadClient } from './chunked-upload-client.ts'
import { envelope, form, formType } from './raw-http.ts'

const mebibyte = 2 ** 20
const size = 200 * mebibyte

test.skipIf(process.platform !== 'linux')(
  '200 MiB are uploaded and downloaded in constant memory (peaks are measured on Linux)',
  async ({ annotate }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-flat-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const service = await startServiceProcess(dataDir)
    onTestFinished(() => service.kill('SIGTERM'))
    const headers = { authorization: service.apiKey }
    const { pid } = service.process
    const before = await peakResidentMiB(pid)

    const [head, tail] = splitForm()
    const chunk = Buffer.alloc(mebibyte, 'z')
    async function* body() {
      yield head
      for (let sent = 0; sent < size; sent += chunk.length) yield chunk
      yield tail
    }
    const began = performance.now()
    const sent = await request(`${service.baseUrl}/base/file/upload`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': formType,
        'content-length': String(head.length + size + tail.length),
      },
      body: Readable.from(body()),
    })
    const bytes = Buffer.from(await sent.body.bytes())
    const { data } = envelope<FileRecord>({ status: sent.statusCode, headers: sent.headers, bytes })
    const uploaded = performance.now()
    expect(data.size).toBe(size)

    const download = await request(service.baseUrl + data.download_url, { headers })
    let received = 0
    for await (const part of download.body as AsyncIterable<Buffer>) received += part.length
    const downloaded = performance.now()
    expect(received).toBe(size)

    const grown = (await peakResidentMiB(pid)) - before
    const speed = (ms: number) => Math.round(size / mebibyte / (ms / 1000))
    await annotate(
      `up ${speed(uploaded - began)} MiB/s, down ${speed(downloaded - uploaded)} MiB/s, ` +
        `resident ${Math.round(before)} MiB, grown ${Math.round(grown)} MiB`,
    )
    expect(grown).toBeLessThan(size / mebibyte)
  },
)

test.skipIf(process.platform !== 'linux')(
  '384 MiB are uploaded in concurrent parts in constant memory (peaks are measured on Linux)',
  async ({ annotate }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'reelwright-flat-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const service = await startServiceProcess(dataDir)
    onTestFinished(() => service.kill('SIGTERM'))
    const calls = chunkedUploadClient(service)
    const parts = 12
    const { data } = await calls.init({ filename: 'a.txt', size: parts * partBytes })
    const part = Buffer.alloc(partBytes, 'z')
    await calls.put(data.upload_id, 0, part)
    const before = await peakResidentMiB(service.process.pid)
    let next = 1
    const uploadParts = async () => {
      for (let index = next++; index < parts; index = next++) await calls.put(data.upload_id, index, part)
    }
    await Promise.all([uploadParts(), uploadParts(), uploadParts(), uploadParts()])
    expect((await calls.complete(data.upload_id)).data.size).toBe(parts * partBytes)
    const grown = (await peakResidentMiB(service.process.pid)) - before
    await annotate(`resident ${Math.round(before)} MiB, grown ${Math.round(grown)} MiB`)
    // Less than the four concurrent parts.
    expect(grown).toBeLessThan((4 * partBytes) / mebibyte)
  },
)

/** The beginning and end of a form around a file. */
function splitForm(): [Buffer, Buffer] {
  const emptyForm = form([{ field: 'file', filename: 'a.txt', content: '|' }])
  const at = emptyForm.indexOf('|')
  return [emptyForm.subarray(0, at), emptyForm.subarray(at + 1)]
}
