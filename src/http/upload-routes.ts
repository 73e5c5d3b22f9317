import type { Readable } from 'node:stream'
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, kindOf, supportedHint } from '../contract/file-kind.ts'
import { maxFileBytes } from '../contract/file.ts'
import { describeSize } from '../contract/format.ts'
import { routes } from '../contract/routes.ts'
import { localFile, uploadInit, type UploadInitResult, uploadPartQuery } from '../contract/upload.ts'
import { readBody } from '../contract/validation.ts'
import { completeUpload } from '../files/complete-upload.ts'
import { recordExistingContent, recordUpload, toFileRecord } from '../files/records.ts'
import { checkDiskSpace, checkQuotaEarly } from '../files/storage-limits.ts'
import type { PartRange } from '../files/store.ts'
import { readLocalRange, storePart } from '../files/upload-parts.ts'
import {
  abortUpload,
  createOrResumeUpload,
  readUploadStatus,
  toUploadSession,
  type UploadKey,
} from '../files/uploads.ts'
import { createHasher } from '../platform/hash.ts'
import { readBatches } from '../platform/streams.ts'
import { errorCode } from '../platform/system-error.ts'
import type { Service } from '../tasks/service.ts'
import { authenticatedCaller } from './authentication.ts'
import { sanitizeFileName } from './file-names.ts'
import { fastifyPath, parseParameters } from './request-input.ts'
import { requestInterrupted, success } from './responses.ts'

/** Most bytes of a form beside the file. */
const maxFormOverheadBytes = 2 ** 20

/** Limits of the form parser. The store limits the file; other fields are ignored. */
const formLimits = { files: 1, fileSize: Infinity, fields: 20, fieldSize: 1024, parts: 30 }

/** Message of a finished upload, in one request or in parts. */
const uploadedMessage = 'the file was uploaded'

/** `POST /base/file/upload`: one file as a form, stored durably before the response. */
export async function registerFormUpload(app: FastifyInstance, service: Service): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(multipart, { limits: formLimits })
  // Other content types are not parsed: the handler rejects them.
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.post(routes.uploadFile.path, async (request) => {
    const { name, bytes } = await receiveForm(service, request)
    const now = service.clock()
    const row = await recordUpload(service, {
      accountId: authenticatedCaller(request).accountId,
      name,
      bytes,
      now,
    })
    return success(toFileRecord(row, now), uploadedMessage)
  })
}

async function receiveForm(service: Service, request: FastifyRequest) {
  const maxBytes = Number(request.headers['content-length'] ?? 0)
  const minBytes = Math.max(0, maxBytes - maxFormOverheadBytes)
  if (minBytes > maxFileBytes) throw fileTooLarge()
  await checkDiskSpace(service, minBytes)
  await checkQuotaEarly(service, { accountId: authenticatedCaller(request).accountId, minBytes, maxBytes })
  // The connection ended during the checks: the form parser would wait forever.
  if (request.raw.destroyed) throw requestInterrupted()
  if (!request.isMultipart()) throw fileFieldMissing()
  const parts = withFormErrors(request.parts())
  const part = await findFilePart(parts)
  const name = sanitizeFileName(unescapeFormName(part.filename))
  /** Throws 6001 for an unsupported file type. */
  checkExtension(name)
  return { name, bytes: await service.files.put(readFormFile(part, parts), maxFileBytes) }
}

/** Error 6002 for a declared size over the limit. */
function fileTooLarge(): MediaError {
  return new MediaError(6002, `the file is larger than ${describeSize(maxFileBytes)}`)
}

async function findFilePart(parts: AsyncGenerator<Multipart>): Promise<MultipartFile> {
  for (;;) {
    const { value: part } = await parts.next()
    if (!part) throw fileFieldMissing()
    if (part.type === 'field') continue
    // A file field without a name: no file was selected.
    if (part.fieldname !== 'file' || !part.filename) throw fileFieldMissing()
    return part
  }
}

function fileFieldMissing(): MediaError {
  return new MediaError(6013, 'required: file', {
    hint: 'Send multipart/form-data with one file in a field named file.',
  })
}

/** Content of the file. Reads to the end of the form, so that a form interrupted after the file fails too. */
async function* readFormFile(
  part: MultipartFile,
  parts: AsyncGenerator<Multipart>,
): AsyncGenerator<Uint8Array> {
  yield* withFormErrors<Uint8Array>(part.file)
  // The parser rejects a second file.
  while (!(await parts.next()).done) continue
}

/** Converts errors of the form parser and the connection. */
async function* withFormErrors<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    throw toFormError(error)
  }
}

/** Recognises limit errors by Fastify's code; other parser errors have no code. */
function toFormError(error: unknown): MediaError {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : String(error)
  if (code === 'FST_FILES_LIMIT') {
    return new MediaError(6016, 'a request can contain only one file', {
      hint: 'Send one file per request.',
    })
  }
  const broken = /Unexpected end|terminated early|aborted/
  if (code === 'FST_MP_PREMATURE_CLOSE' || broken.test(message)) return requestInterrupted(error)
  return new MediaError(6016, `the form cannot be parsed: ${message}`, { cause: error })
}

/** Decodes the escapes that browsers use in form file names. CR and LF would be removed anyway. */
function unescapeFormName(filename: string): string {
  return filename.replaceAll('%22', '"').replaceAll(/%0[AD]/g, '')
}

/** Refuses a name whose type is not taken, 6001. */
function checkExtension(name: string): void {
  const extension = extensionOf(name)
  if (kindOf(extension)) return
  throw new MediaError(6001, `${name}: file type ${extension || '(none)'} is not supported`, {
    hint: supportedHint(),
  })
}

/** Chunked uploads (contract 1, 4.2). */
export function registerChunkedUploadRoutes(app: FastifyInstance, service: Service): void {
  app.post(routes.initUpload.path, (request) => initUpload(service, request))
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers()
    // Any content type is a binary stream.
    inner.addContentTypeParser('*', (_request, body, done) => done(null, body))
    inner.put(fastifyPath(routes.uploadPart.path), (request) => receivePart(service, request))
  })
  app.post(fastifyPath(routes.importPart.path), (request) => importPart(service, request))
  app.get(fastifyPath(routes.uploadStatus.path), async (request) =>
    success(await readUploadStatus(service, uploadKeyOf(request))),
  )
  app.post(fastifyPath(routes.completeUpload.path), async (request) => {
    const row = await completeUpload(service, uploadKeyOf(request))
    return success(toFileRecord(row, service.clock()), uploadedMessage)
  })
  app.delete(fastifyPath(routes.abortUpload.path), async (request) => {
    const key = uploadKeyOf(request)
    await abortUpload(service, key)
    return success({ upload_id: key.id, aborted: true })
  })
}

async function initUpload(service: Service, request: FastifyRequest) {
  const { filename, size, blake3_id } = readBody(uploadInit, request.body, {
    filename: 'interview.mp4',
    size: 73_400_320,
  })
  const name = sanitizeFileName(filename)
  checkExtension(name)
  if (size === 0) throw new MediaError(6011, 'the file is empty')
  if (size > maxFileBytes) throw fileTooLarge()
  const { accountId } = authenticatedCaller(request)
  const now = service.clock()
  const blake3 = blake3_id?.toLowerCase() ?? null
  const existing =
    blake3 && (await recordExistingContent(service, { accountId, name, bytes: { blake3, size }, now }))
  if (existing) {
    const record: UploadInitResult = { ...toFileRecord(existing, now), instant: true }
    return success(record, 'the file already exists; its expiry was renewed')
  }
  const { upload, isNew } = await createOrResumeUpload(service, { accountId, name, size, blake3 })
  const session = isNew
    ? toUploadSession(upload)
    : await readUploadStatus(service, { accountId, id: upload.id })
  return success<UploadInitResult>({ ...session, ...(service.localImport && { local_import: true }) })
}

async function receivePart(service: Service, request: FastifyRequest) {
  const { index } = request.params as { index: string }
  const { blake3 } = parseParameters(uploadPartQuery, request.query)
  const { 'content-length': length } = request.headers
  const part = await storePart(service, uploadKeyOf(request), {
    index,
    length: length === undefined ? undefined : Number(length),
    bytes: () => readPartBody(request, blake3?.toLowerCase()),
  })
  return partResponse(part)
}

/** Reads a part from a file on this machine. Not available to web pages. */
async function importPart(service: Service, request: FastifyRequest) {
  const { index } = request.params as { index: string }
  if (!service.localImport || request.headers.origin !== undefined) {
    throw new MediaError(6005, 'this service does not accept local paths', {
      hint: 'Send the bytes of the part: PUT /base/file/upload/chunk/{upload_id}/{index}.',
    })
  }
  const file = readBody(localFile, request.body, {
    path: '/films/interview.mp4',
    device: '2049',
    inode: '131',
  })
  const part = {
    index,
    length: undefined,
    isLocal: true,
    bytes: (range: PartRange) => readLocalRange(file, service.privateFolders, range),
  }
  return partResponse(await storePart(service, uploadKeyOf(request), part))
}

function partResponse({ upload, index, received }: Awaited<ReturnType<typeof storePart>>) {
  const { upload_id, total_parts } = toUploadSession(upload)
  return success({ upload_id, index, received, total_parts })
}

/** Streams the body. Ends normally only when the whole body arrived with this hash. */
async function* readPartBody(
  request: FastifyRequest,
  blake3: string | undefined,
): AsyncGenerator<Uint8Array> {
  const body = request.body as Readable | undefined
  const hasher = blake3 === undefined ? null : await createHasher()
  try {
    for await (const bytes of body ? readBatches(body) : []) {
      hasher?.update(bytes)
      yield bytes
    }
  } catch (error) {
    throw requestInterrupted(error)
  }
  const found = hasher?.digest()
  if (found !== blake3) throw new MediaError(6026, `the part's BLAKE3 is ${found}, not ${blake3}`)
}

function uploadKeyOf(request: FastifyRequest): UploadKey {
  const { upload_id: id } = request.params as { upload_id: string }
  return { accountId: authenticatedCaller(request).accountId, id }
}
