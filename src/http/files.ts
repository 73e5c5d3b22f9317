import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file.ts'
import { fileIdParameter, previewKind, rawRoutes, routes, type InspectedFile } from '../contract/routes.ts'
import type { FileRow } from '../db/schema.ts'
import { contactSheet, waveform } from '../engines/ffmpeg/preview.ts'
import { giveFile } from '../files/probe.ts'
import { findFile, toDetails } from '../files/records.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { success } from './failures.ts'
import { attachment } from './names.ts'
import { chooseRange } from './range.ts'

const mediaTypes: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.flac': 'audio/flac',
  '.ogg': 'audio/ogg',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.avi': 'video/x-msvideo',
  '.mkv': 'video/x-matroska',
  '.flv': 'video/x-flv',
  '.webm': 'video/webm',
  '.mid': 'audio/midi',
  '.json': 'application/json',
  '.srt': 'application/x-subrip',
  '.vtt': 'text/vtt; charset=utf-8',
}

const previewQuery = z.object({ kind: previewKind })

/** Details, facts, bytes and previews of stored files. */
export function fileRoutes(app: FastifyInstance, service: Service): void {
  app.get(route(routes.fileDetails.path), async (request) =>
    success(toDetails(await fileOf(service, request), service.clock())),
  )
  app.get(route(routes.inspectFile.path), async (request) => {
    const row = await fileOf(service, request)
    const { facts } = await giveFile(service, row)
    return success<InspectedFile>({ ...toDetails(row, service.clock()), media: facts })
  })
  app.get(route(rawRoutes.downloadFile.path), async (request, reply) =>
    download(service, { request, reply, row: await fileOf(service, request) }),
  )
  app.get(route(rawRoutes.previewFile.path), async (request, reply) => {
    const query = previewQuery.safeParse(request.query)
    if (!query.success) throw new MediaError(6016, `kind: one of ${previewKind.options.join(', ')}`)
    const picture = await preview(service, await fileOf(service, request), query.data.kind)
    return reply.header('x-content-type-options', 'nosniff').type(pictureType(picture)).send(picture)
  })
}

/** A path of the contract, `{name}`, as Fastify writes it, `:name`. */
export function route(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

async function fileOf(service: Service, request: FastifyRequest): Promise<FileRow> {
  const { file_id } = fileIdParameter.parse(request.params)
  return await findFile(service.db, {
    accountId: callerOf(request).accountId,
    id: file_id,
    now: service.clock(),
  })
}

async function download(
  service: Service,
  { request, reply, row }: { request: FastifyRequest; reply: FastifyReply; row: FileRow },
) {
  const tag = `"${row.blake3}"`
  void reply
    .header('etag', tag)
    .header('accept-ranges', 'bytes')
    .header('content-disposition', attachment(row.name))
    .header('x-content-type-options', 'nosniff')
    // A stored page must not run as one of this service's.
    .header('content-security-policy', "sandbox; default-src 'none'")
    .type(mediaTypes[row.ext] ?? 'application/octet-stream')
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  const ifRange = request.headers['if-range']
  const wanted = ifRange === undefined || ifRange === tag ? request.headers.range : undefined
  const range = chooseRange(wanted, row.size)
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${row.size}`).send()
  }
  if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${row.size}`)
  void reply.header('content-length', range ? range.end - range.start + 1 : row.size)
  // Fastify serves HEAD by the same handler.
  if (request.method === 'HEAD') return reply.send()
  return reply.send(await service.files.read(row.blake3, range))
}

/** Pictures are drawn one after another: each keeps a core busy for a second or so. */
let lastDrawn: Promise<unknown> = Promise.resolve()

async function preview(service: Service, row: FileRow, kind: z.infer<typeof previewKind>): Promise<Buffer> {
  const { facts } = await giveFile(service, row)
  if (!facts)
    throw new MediaError(6014, `${row.name} is ${kindOf(row.ext) ?? 'unknown'}: there is nothing to see`)
  const draw = kind === 'contact_sheet' ? contactSheet : waveform
  const drawn = lastDrawn.then(() => service.files.lend(row, (path) => draw(path, facts)))
  lastDrawn = drawn.catch(() => undefined)
  return Buffer.from(await drawn)
}

function pictureType(bytes: Buffer): string {
  return bytes[0] === 0x89 ? 'image/png' : 'image/jpeg'
}
