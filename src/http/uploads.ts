import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, extensionsByKind, kindOf, maxFileBytes } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { recordUpload, toRecord } from '../files/records.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { success } from './failures.ts'
import { safeName } from './names.ts'

/** What the frame of a multipart request may take beyond the file, bytes. */
const frameBytes = 2 ** 20

/** `POST /base/file/upload`: one file, streamed to the store, answered when it is durable. */
export function uploadRoutes(app: FastifyInstance, service: Service): void {
  app.post(routes.uploadFile.path, { bodyLimit: maxFileBytes + frameBytes }, async (request) => {
    const { name, bytes } = await receive(service, request)
    const now = service.clock()
    const row = await recordUpload(service.db, { accountId: callerOf(request).accountId, name, bytes, now })
    return success(toRecord(row, now), 'the file was uploaded')
  })
}

async function receive(service: Service, request: FastifyRequest) {
  if (!request.isMultipart()) {
    throw new MediaError(6013, 'required: file', {
      hint: 'Send multipart/form-data with one field named file.',
    })
  }
  const left = new AbortController()
  const onClose = (): void => {
    if (!request.raw.complete) left.abort(interrupted())
  }
  request.raw.once('close', onClose)
  try {
    const part = await request.file()
    if (!part || part.fieldname !== 'file') throw new MediaError(6013, 'required: file')
    const name = safeName(part.filename)
    checkExtension(name)
    const bytes = await service.files.put(part.file, { maxBytes: maxFileBytes, signal: left.signal })
    // The store saw the stream's end; only the parser knows whether the form ended with it.
    if (part.file.truncated) throw new MediaError(6002, `${name} is larger than ${maxFileBytes} bytes`)
    return { name, bytes }
  } catch (error) {
    throw error instanceof MediaError ? error : translated(error, request)
  } finally {
    request.raw.off('close', onClose)
  }
}

function checkExtension(name: string): void {
  const extension = extensionOf(name)
  if (kindOf(extension)) return
  throw new MediaError(6001, `${name}: files of type ${extension || '(none)'} are not taken`, {
    hint: `Supported: ${Object.values(extensionsByKind).flat().join(' ')}`,
  })
}

/** Errors of the form's parser, by Fastify's code; one of a cut connection has none. */
function translated(error: unknown, request: FastifyRequest): unknown {
  const { code, message } = error as { code?: unknown; message?: string }
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return new MediaError(6002, `the file is larger than ${maxFileBytes} bytes`)
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT') {
    return new MediaError(6016, 'one request takes one file and no other field')
  }
  if (!request.raw.complete || /Unexpected end|terminated early|aborted/i.test(message ?? ''))
    return interrupted()
  return error
}

function interrupted(): MediaError {
  return new MediaError(6036, 'the upload broke off before its end')
}
