import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { maxFileBytes } from '../contract/file.ts'
import { readBody } from '../contract/validation.ts'
import { routes } from '../contract/routes.ts'
import { localFile, uploadInit, uploadPartQuery, type UploadInitResult } from '../contract/upload.ts'
import { completeUpload } from '../files/complete-upload.ts'
import { readLocalRange, storePart } from '../files/upload-parts.ts'
import { recordExistingContent, toFileRecord } from '../files/records.ts'
import type { PartRange } from '../files/store.ts'
import {
  abortUpload,
  beginUpload,
  toUploadSession,
  readUploadStatus,
  type UploadKey,
} from '../files/uploads.ts'
import { createHasher } from '../platform/hash.ts'
import { rechunk } from '../platform/streams.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { interrupted, success } from './failures.ts'
import { safeName } from './names.ts'
import { pattern, read } from './parameters.ts'
import { checkExtension, tooLarge, uploadedMessage } from './uploads.ts'

/** Uploads in parts (contract 1, 4.2). */
export function chunkedUploadRoutes(app: FastifyInstance, service: Service): void {
  app.post(routes.initUpload.path, (request) => begin(service, request))
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers()
    // Whatever a client calls it, it is bytes, and they are not gathered.
    inner.addContentTypeParser('*', (_request, body, done) => done(null, body))
    inner.put(pattern(routes.uploadPart.path), (request) => receivePart(service, request))
  })
  app.post(pattern(routes.importPart.path), (request) => importPart(service, request))
  app.get(pattern(routes.uploadStatus.path), async (request) =>
    success(await readUploadStatus(service, keyOf(request))),
  )
  app.post(pattern(routes.completeUpload.path), async (request) => {
    const row = await completeUpload(service, keyOf(request))
    return success(toFileRecord(row, service.clock()), uploadedMessage)
  })
  app.delete(pattern(routes.abortUpload.path), async (request) => {
    const key = keyOf(request)
    await abortUpload(service, key)
    return success({ upload_id: key.id, aborted: true })
  })
}

async function begin(service: Service, request: FastifyRequest) {
  const { filename, size, blake3_id } = readBody(uploadInit, request.body, {
    filename: 'interview.mp4',
    size: 73_400_320,
  })
  const name = safeName(filename)
  checkExtension(name)
  if (size === 0) throw new MediaError(6011, 'the file is empty')
  if (size > maxFileBytes) throw tooLarge()
  const { accountId } = callerOf(request)
  const now = service.clock()
  const blake3 = blake3_id?.toLowerCase() ?? null
  const held =
    blake3 && (await recordExistingContent(service, { accountId, name, bytes: { blake3, size }, now }))
  if (held) {
    const record: UploadInitResult = { ...toFileRecord(held, now), instant: true }
    return success(record, 'the file exists already; its expiry was renewed')
  }
  const { upload, isNew } = await beginUpload(service, { accountId, name, size, blake3 })
  const session = isNew
    ? toUploadSession(upload)
    : await readUploadStatus(service, { accountId, id: upload.id })
  return success<UploadInitResult>({ ...session, ...(service.localImport && { local_import: true }) })
}

async function receivePart(service: Service, request: FastifyRequest) {
  const { index } = request.params as { index: string }
  const { blake3 } = read(uploadPartQuery, request.query)
  const { 'content-length': length } = request.headers
  const part = await storePart(service, keyOf(request), {
    index,
    length: length === undefined ? undefined : Number(length),
    bytes: () => bytesOf(request, blake3?.toLowerCase()),
  })
  return storedPart(part)
}

/** Takes a part from a file of this machine; a web page has none to name. */
async function importPart(service: Service, request: FastifyRequest) {
  const { index } = request.params as { index: string }
  if (!service.localImport || request.headers.origin !== undefined) {
    throw new MediaError(6005, 'this service takes no files by their paths', {
      hint: 'Send the bytes of the part: PUT /base/file/upload/chunk/{upload_id}/{index}.',
    })
  }
  const file = readBody(localFile, request.body, {
    path: '/films/interview.mp4',
    device: '2049',
    inode: '131',
  })
  const part = { index, length: undefined, bytes: (place: PartRange) => readLocalRange(file, place) }
  return storedPart(await storePart(service, keyOf(request), part))
}

function storedPart({ upload, index, received }: Awaited<ReturnType<typeof storePart>>) {
  const { upload_id, total_parts } = toUploadSession(upload)
  return success({ upload_id, index, received, total_parts })
}

/** The body's bytes; they end well only when it came whole, with this checksum. */
async function* bytesOf(request: FastifyRequest, blake3: string | undefined): AsyncGenerator<Uint8Array> {
  const body = request.body as Readable | undefined
  const hasher = blake3 === undefined ? null : await createHasher()
  try {
    // Destroyed, it would take the connection along, and with it the answer.
    const chunks: AsyncIterable<Uint8Array> | undefined = body?.iterator({ destroyOnReturn: false })
    for await (const bytes of chunks ? rechunk(chunks) : []) {
      hasher?.update(bytes)
      yield bytes
    }
  } catch (error) {
    throw interrupted(error)
  }
  const found = hasher?.digest()
  if (found !== blake3) throw new MediaError(6026, `the part's BLAKE3 is ${found}, not ${blake3}`)
}

function keyOf(request: FastifyRequest): UploadKey {
  const { upload_id: id } = request.params as { upload_id: string }
  return { accountId: callerOf(request).accountId, id }
}
