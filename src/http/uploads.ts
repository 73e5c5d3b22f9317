import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, kindOf, supportedHint } from '../contract/file-kind.ts'
import { maxFileBytes } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { recordUpload, toFileRecord } from '../files/records.ts'
import { checkDiskSpace, checkQuotaEarly } from '../files/storage-limits.ts'
import { errorCode } from '../platform/system-error.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { interrupted, success } from './failures.ts'
import { safeName } from './names.ts'

/** What the frame of a form and the fields beside the file may take, bytes. */
const frameBytes = 2 ** 20

/** The store limits the file; of the fields, which are ignored, little is kept. */
const limits = { files: 1, fileSize: Infinity, fields: 20, fieldSize: 1024, parts: 30 }

/** What the end of an upload says, in one request or in parts. */
export const uploadedMessage = 'the file was uploaded'

/** `POST /base/file/upload`: one file, streamed to the store, answered when it is durable. */
export async function uploadRoutes(app: FastifyInstance, service: Service): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(multipart, { limits })
  // Nothing else is read: the handler says that it takes a form.
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.post(routes.uploadFile.path, async (request) => {
    const { name, bytes } = await receive(service, request)
    const now = service.clock()
    const row = await recordUpload(service, { accountId: callerOf(request).accountId, name, bytes, now })
    return success(toFileRecord(row, now), uploadedMessage)
  })
}

async function receive(service: Service, request: FastifyRequest) {
  const most = Number(request.headers['content-length'] ?? 0)
  const least = Math.max(0, most - frameBytes)
  if (least > maxFileBytes) throw tooLarge()
  await checkDiskSpace(service, least)
  await checkQuotaEarly(service, { accountId: callerOf(request).accountId, least, most })
  // Its end came while the disk and the quota were asked: the form's parser would wait for it for ever.
  if (request.raw.destroyed) throw interrupted()
  if (!request.isMultipart()) throw noFile()
  const parts = translated(request.parts())
  const part = await findFile(parts)
  const name = safeName(unescaped(part.filename))
  checkExtension(name)
  return { name, bytes: await service.files.put(bytesOf(part, parts), maxFileBytes) }
}

/** 6002 for a declared size over the limit. */
export function tooLarge(): MediaError {
  return new MediaError(6002, `the file is larger than ${maxFileBytes} bytes`)
}

async function findFile(parts: AsyncGenerator<Multipart>): Promise<MultipartFile> {
  for (;;) {
    const { value: part } = await parts.next()
    if (!part) throw noFile()
    if (part.type === 'field') continue
    // Without a name it is a form's file field in which nothing was chosen.
    if (part.fieldname !== 'file' || !part.filename) throw noFile()
    return part
  }
}

function noFile(): MediaError {
  return new MediaError(6013, 'required: file', {
    hint: 'Send multipart/form-data with one file in a field named file.',
  })
}

/** The file's bytes. Their end is the end of the form: one that breaks off after the file breaks the file. */
async function* bytesOf(part: MultipartFile, parts: AsyncGenerator<Multipart>): AsyncGenerator<Uint8Array> {
  yield* translated<Uint8Array>(part.file)
  // A second file is refused by the parser.
  while (!(await parts.next()).done) continue
}

/** Turns what the form's parser and the connection throw into errors of ours. */
async function* translated<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    throw formError(error)
  }
}

/** The parser's limits by Fastify's code; its other errors have none. */
function formError(error: unknown): MediaError {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : String(error)
  if (code === 'FST_FILES_LIMIT') return new MediaError(6016, 'one request takes one file')
  const broken = /Unexpected end|terminated early|aborted/
  if (code === 'FST_MP_PREMATURE_CLOSE' || broken.test(message)) return interrupted(error)
  return new MediaError(6016, `the form cannot be read: ${message}`, { cause: error })
}

/** As browsers escape quotes in the names of a form's files; CR and LF would be taken out anyway. */
function unescaped(filename: string): string {
  return filename.replaceAll('%22', '"').replaceAll(/%0[AD]/g, '')
}

/** Refuses a name whose type is not taken, 6001. */
export function checkExtension(name: string): void {
  const extension = extensionOf(name)
  if (kindOf(extension)) return
  throw new MediaError(6001, `${name}: files of type ${extension || '(none)'} are not taken`, {
    hint: supportedHint(),
  })
}
