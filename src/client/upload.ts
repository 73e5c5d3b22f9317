import { randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import type { FileRecord } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { createHasher } from '../platform/hash.ts'
import { readAnswer } from './answer.ts'
import type { Client } from './client.ts'
import { isNetworkFailure } from './unreachable.ts'

/** A local file to send: read by its open descriptor only, never by a path again. */
export interface UploadSource {
  readonly handle: FileHandle
  /** File name the service is to keep. */
  readonly name: string
  /** Bytes to send, as measured on the descriptor. */
  readonly size: number
}

interface UploadOptions {
  readonly signal?: AbortSignal
  /** Bytes sent so far; begins again when a broken upload is repeated. */
  readonly onProgress?: (sent: number) => void
}

const chunkBytes = 256 * 1024

/** Uploads a file in one streamed request with flat memory, and checks that what arrived is what was read. */
export async function uploadFile(
  client: Client,
  source: UploadSource,
  options: UploadOptions = {},
): Promise<FileRecord> {
  const form = openForm(source)
  const sent = { blake3: '' }
  const response = await client.send({
    method: routes.uploadFile.method,
    address: routes.uploadFile.path,
    headers: { 'content-type': form.type, 'content-length': String(form.length) },
    body: () => formBody(source, form, { ...options, onHash: (hash) => void (sent.blake3 = hash) }),
    // The same content always becomes the same record.
    idempotent: true,
    signal: options.signal,
  })
  const record = await readAnswer(routes.uploadFile, response).catch((error: unknown) => {
    throw isNetworkFailure(error) ? new MediaError(6036, 'The upload broke off', { cause: error }) : error
  })
  if (record.size === source.size && record.blake3_id === sent.blake3) return record
  throw new MediaError(6036, `${source.name} did not arrive whole`)
}

interface Form {
  readonly type: string
  readonly head: Buffer
  readonly tail: Buffer
  readonly length: number
}

/** The multipart frame around the one field `file`. */
function openForm({ name, size }: UploadSource): Form {
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

async function* formBody(
  { handle, name, size }: UploadSource,
  form: Form,
  options: UploadOptions & { onHash: (blake3: string) => void },
): AsyncGenerator<Uint8Array> {
  const hasher = await createHasher()
  yield form.head
  for (let position = 0; position < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - position))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) throw new MediaError(6036, `${name} became shorter while it was uploaded`)
    const bytes = chunk.subarray(0, bytesRead)
    hasher.update(bytes)
    yield bytes
    position += bytesRead
    options.onProgress?.(position)
  }
  options.onHash(hasher.digest())
  yield form.tail
}
