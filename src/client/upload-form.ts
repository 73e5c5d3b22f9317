import { randomBytes } from 'node:crypto'
import type { FileRecord } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { readResponse } from './answer.ts'
import { streamUploadBytes, type Upload } from './upload-parts.ts'

/** Uploads a file in one streamed request, again from its begin where that breaks. */
export async function uploadInOneRequest(upload: Upload): Promise<FileRecord> {
  const { client, source, signal, retry } = upload
  return await retry(async () => {
    const form = createForm(source.name, source.size)
    const response = await client.send({
      method: routes.uploadFile.method,
      address: routes.uploadFile.path,
      headers: { 'content-type': form.type, 'content-length': String(form.length) },
      body: () => formBody(upload, form),
      idempotent: false,
      signal,
    })
    return await readResponse(routes.uploadFile, response)
  }, signal)
}

interface MultipartForm {
  readonly type: string
  readonly head: Buffer
  readonly tail: Buffer
  readonly length: number
}

/** The multipart frame around the one field `file`. */
function createForm(name: string, size: number): MultipartForm {
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

async function* formBody(upload: Upload, form: MultipartForm): AsyncGenerator<Uint8Array> {
  yield form.head
  yield* streamUploadBytes(upload, { offset: 0, size: upload.source.size }, upload.onSent)
  yield form.tail
}
