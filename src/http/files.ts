import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { InspectedFile } from '../contract/file-routes.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import type { FileRow } from '../db/schema.ts'
import { openPreviews } from '../files/previews.ts'
import { giveFile } from '../files/probe.ts'
import { findFile, toDetails } from '../files/records.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { whileWaited } from './connections.ts'
import { download } from './download.ts'
import { success } from './failures.ts'
import { pattern, read } from './parameters.ts'

/** Details, facts, bytes and previews of stored files. */
export function fileRoutes(app: FastifyInstance, service: Service): void {
  const preview = openPreviews(service)
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
    const { kind } = read(rawRoutes.previewFile.query, request.query)
    const picture = await preview(await fileOf(service, request), kind, whileWaited(reply))
    return reply.header('x-content-type-options', 'nosniff').type('image/jpeg').send(picture)
  })
}

async function fileOf(service: Service, request: FastifyRequest): Promise<FileRow> {
  const { file_id: id } = request.params as { file_id: string }
  return await findFile(service.db, { accountId: callerOf(request).accountId, id, now: service.clock() })
}
