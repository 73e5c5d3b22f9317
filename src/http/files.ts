import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  cleanRequest,
  linkRequest,
  regionsQuery,
  type InspectedFile,
  type PreviewKind,
  type ShownRegions,
} from '../contract/file-routes.ts'
import { readBody } from '../contract/validation.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { toTimestamp } from '../contract/fields.ts'
import type { FileRow } from '../db/schema.ts'
import { contactSheet, waveform } from '../engines/ffmpeg/preview.ts'
import { regionSheet } from '../engines/ffmpeg/region-sheet.ts'
import type { RemovedFile } from '../files/content.ts'
import { signLink } from '../files/links.ts'
import { createPreviewCache, type PreviewRenderer } from '../files/previews.ts'
import { probeStoredFile } from '../files/probe.ts'
import { findAnyFile, findOwnFile, listFiles, toFileDetails } from '../files/records.ts'
import { deleteFile, removeOldFiles } from '../files/removal.ts'
import { errorCode } from '../platform/system-error.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { whileWaited } from './connections.ts'
import { download } from './download.ts'
import { success } from './failures.ts'
import { pattern, read } from './parameters.ts'
import { openRegionPictures } from './region-preview.ts'

/** What is drawn of a file by itself. */
const drawings: Readonly<Record<PreviewKind, PreviewRenderer>> = {
  contact_sheet: { name: 'contact_sheet', render: whole(contactSheet) },
  waveform: { name: 'waveform', render: whole(waveform) },
}

/** As one that is never drawn in part. */
function whole(
  draw: (...given: Parameters<PreviewRenderer['render']>) => Promise<Uint8Array>,
): PreviewRenderer['render'] {
  return async (...given) => ({ jpeg: await draw(...given), isWhole: true })
}

/** Details, facts, bytes and previews of stored files. Answers what drops the pictures of a file that is gone. */
export function fileRoutes(app: FastifyInstance, service: Service): (file: RemovedFile) => void {
  const forgetPictures = pictureRoutes(app, service)
  app.get(routes.listFiles.path, async (request) => {
    const query = read(routes.listFiles.query, request.query)
    const { accountId } = callerOf(request)
    return success(await listFiles(service.db, { accountId, now: service.clock() }, query))
  })
  app.get(pattern(routes.fileDetails.path), async (request) =>
    success(toFileDetails(await fileOf(service, request), service.clock())),
  )
  app.get(pattern(routes.inspectFile.path), async (request, reply) => {
    const row = await fileOf(service, request)
    const { facts } = await probeStoredFile(service, row, { signal: whileWaited(reply) })
    return success<InspectedFile>({ ...toFileDetails(row, service.clock()), media: facts })
  })
  app.route({
    // By itself, Fastify would answer HEAD with the length of nothing.
    method: ['GET', 'HEAD'],
    url: pattern(rawRoutes.downloadFile.path),
    handler: async (request, reply) =>
      whileThere(
        () => openedFile(service, request),
        (row) => download(service.files, { request, reply, row }),
      ),
  })
  app.delete(pattern(routes.deleteFile.path), async (request) => {
    const { accountId } = callerOf(request)
    forgetPictures(await deleteFile(service, { accountId, id: idOf(request), now: service.clock() }))
    return success('')
  })
  app.post(pattern(routes.linkFile.path), async (request) => {
    const { id } = await fileOf(service, request)
    const { expires_in } = readBody(linkRequest, request.body ?? {}, { expires_in: 3600 })
    const expires = Math.floor(service.clock() / 1000) + expires_in
    const url = await signLink(service.db, id, expires)
    return success({ url, expires_at: toTimestamp(expires * 1000) })
  })
  app.post(routes.cleanFiles.path, async (request) => {
    const { keep_days: keepDays } = readBody(cleanRequest, request.body ?? {}, { keep_days: 7 })
    const { accountId } = callerOf(request)
    const old = { now: service.clock(), keepDays, accountId, onFreed: forgetPictures }
    return success(await removeOldFiles(service, old))
  })
  return forgetPictures
}

/** Small pictures of files, and what they show. Answers what drops those of a file that is gone. */
function pictureRoutes(app: FastifyInstance, service: Service): ReturnType<typeof fileRoutes> {
  const previews = createPreviewCache(service)
  const regionPictures = openRegionPictures(service)
  app.get(pattern(routes.showRegions.path), async (request, reply) => {
    const row = await fileOf(service, request)
    const query = read(routes.showRegions.query, request.query)
    const { accountId } = callerOf(request)
    const { told } = await regionPictures.choose(row, { query, accountId, signal: whileWaited(reply) })
    return success<ShownRegions>(told)
  })
  app.get(pattern(rawRoutes.previewFile.path), async (request, reply) => {
    const { kind } = read(rawRoutes.previewFile.query, request.query)
    const row = await fileOf(service, request)
    const signal = whileWaited(reply)
    const regions = async (): Promise<PreviewRenderer> => {
      const query = read(regionsQuery, request.query)
      const { accountId } = callerOf(request)
      const { name, frames } = await regionPictures.choose(row, { query, accountId, signal })
      return { name, render: (path, facts, options) => regionSheet(path, facts, { ...options, frames }) }
    }
    const drawing = kind === 'regions' ? await regions() : drawings[kind]
    const { jpeg, empty = [] } = await previews.render(row, drawing, signal)
    if (empty.length > 0) reply.header('x-empty-frames', empty.join())
    return reply.header('x-content-type-options', 'nosniff').type('image/jpeg').send(jpeg)
  })
  return (file) => {
    previews.forget(file)
    regionPictures.forget(file)
  }
}

/** Works on a file's bytes; what fails because the file was deleted meanwhile answers 6004. */
async function whileThere<T>(find: () => Promise<FileRow>, use: (row: FileRow) => Promise<T>): Promise<T> {
  try {
    return await use(await find())
  } catch (error) {
    if (errorCode(error) === 'ENOENT') await find()
    throw error
  }
}

/** The file of a download, by its owner's key or by a link. */
async function openedFile(service: Service, request: FastifyRequest): Promise<FileRow> {
  if (request.caller) return await fileOf(service, request)
  return await findAnyFile(service.db, { id: idOf(request), now: service.clock() })
}

function idOf({ params }: FastifyRequest): string {
  return (params as { file_id: string }).file_id
}

async function fileOf(service: Service, request: FastifyRequest): Promise<FileRow> {
  const { accountId } = callerOf(request)
  return await findOwnFile(service.db, { accountId, id: idOf(request), now: service.clock() })
}
