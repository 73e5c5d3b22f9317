import { randomBytes } from 'node:crypto'
import type { FileRecord } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { readAnswer } from './answer.ts'
import { bytesOf, type Upload } from './upload-parts.ts'

/** Uploads a file in one streamed request, again from its begin where that breaks. */
export async function uploadInOneRequest(upload: Upload): Promise<FileRecord> {
  const { client, source, signal, retry } = upload
  return await retry(async () => {
    const form = openForm(source.name, source.size)
    const response = await client.send({
      method: routes.uploadFile.method,
      address: routes.uploadFile.path,
      headers: { 'content-type': form.type, 'content-length': String(form.length) },
      body: () => formBody(upload, form),
      idempotent: false,
      signal,
    })
    return await readAnswer(routes.uploadFile, response)
  }, signal)
}

interface Form {
  readonly type: string
  readonly head: Buffer
  readonly tail: Buffer
  readonly length: number
}

/** The multipart frame around the one field `file`. */
function openForm(name: string, size: number): Form {
  const boundary = `reelwright-${randomBytes(16).toString('hex')}`
  // As browsers escape file names in forms.
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    head,
    tail,
    length: head.length + size + tail.length,
  }
}

async function* formBody(upload: Upload, form: Form): AsyncGenerator<Uint8Array> {
  yield form.head
  yield* bytesOf(upload, { offset: 0, size: upload.source.size }, upload.onSent)
  yield form.tail
}
