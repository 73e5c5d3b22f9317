import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { kindOf } from '../contract/file.ts'
import { previewKind, rawRoutes, routes, type InspectedFile, type PreviewKind } from '../contract/routes.ts'
import type { FileRow } from '../db/schema.ts'
import { contactSheet, waveform } from '../engines/ffmpeg/preview.ts'
import { giveFile } from '../files/probe.ts'
import { findFile, toDetails } from '../files/records.ts'
import { atMost } from '../platform/at-most.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { whileWaited } from './connections.ts'
import { download } from './download.ts'
import { success } from './failures.ts'
import { pattern, read } from './parameters.ts'

const previewQuery = z.object({ kind: previewKind })

/** Details, facts, bytes and previews of stored files. */
export function fileRoutes(app: FastifyInstance, service: Service): void {
  app.get(pattern(routes.fileDetails.path), async (request) =>
    success(toDetails(await fileOf(service, request), service.clock())),
  )
  app.get(pattern(routes.inspectFile.path), async (request, reply) => {
    const row = await fileOf(service, request)
    const { facts } = await giveFile(service, row, whileWaited(reply))
    return success<InspectedFile>({ ...toDetails(row, service.clock()), media: facts })
  })
  app.route({
    // By itself, Fastify would answer HEAD with the length of nothing.
    method: ['GET', 'HEAD'],
    url: pattern(rawRoutes.downloadFile.path),
    handler: async (request, reply) =>
      download(service.files, { request, reply, row: await fileOf(service, request) }),
  })
  app.get(pattern(rawRoutes.previewFile.path), async (request, reply) => {
    const { kind } = read(previewQuery, request.query)
    const picture = await preview(service, reply, { row: await fileOf(service, request), kind })
    return reply.header('x-content-type-options', 'nosniff').type('image/jpeg').send(picture)
  })
}

async function fileOf(service: Service, request: FastifyRequest): Promise<FileRow> {
  const { file_id: id } = request.params as { file_id: string }
  return await findFile(service.db, { accountId: callerOf(request).accountId, id, now: service.clock() })
}

/** One after another: each keeps a core busy for a second or so. */
const inTurn = atMost(1)

async function preview(
  service: Service,
  reply: FastifyReply,
  { row, kind }: { row: FileRow; kind: PreviewKind },
): Promise<Uint8Array> {
  const signal = whileWaited(reply)
  const { facts } = await giveFile(service, row, signal)
  if (!facts)
    throw new MediaError(6014, `${row.name} is ${kindOf(row.ext) ?? 'unknown'}: there is nothing to see`)
  const draw = kind === 'contact_sheet' ? contactSheet : waveform
  return await inTurn(async () => {
    signal.throwIfAborted()
    return await service.files.lend(row, (path) => draw(path, facts, { signal }))
  })
}
