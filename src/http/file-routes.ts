import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  cleanRequest,
  frameQuery,
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
import { gridFrame } from '../engines/ffmpeg/grid-frame.ts'
import { contactSheet, waveform } from '../engines/ffmpeg/preview.ts'
import { regionSheet } from '../engines/ffmpeg/region-sheet.ts'
import type { RemovedFile } from '../files/content.ts'
import { storeSoundOf } from '../files/extract-sound.ts'
import { signLink } from '../files/links.ts'
import { createPreviewCache, type PreviewRenderer } from '../files/previews.ts'
import { probeStoredFile } from '../files/probe.ts'
import { findAnyFile, findOwnFile, listFiles, toFileDetails, toFileRecord } from '../files/records.ts'
import { deleteFile, removeFilesByAge } from '../files/removal.ts'
import { errorCode } from '../platform/system-error.ts'
import type { Service } from '../tasks/service.ts'
import { authenticatedCaller } from './authentication.ts'
import { abortOnDisconnect } from './connections.ts'
import { sendStoredFile } from './downloads.ts'
import { success } from './responses.ts'
import { fastifyPath, parseParameters } from './request-input.ts'
import { createRegionPictureCache } from './region-pictures.ts'

/** Previews that need only the file itself. */
const previewRenderers: Readonly<Record<PreviewKind, PreviewRenderer>> = {
  contact_sheet: { name: 'contact_sheet', render: completeRenderer(contactSheet) },
  waveform: { name: 'waveform', render: completeRenderer(waveform) },
}

/** Renderer of the frame at a time, s, with a grid. */
function frameRenderer(at: number): PreviewRenderer {
  return {
    name: `frame ${at}`,
    render: completeRenderer((path, facts, options) => gridFrame(path, facts, { ...options, at })),
  }
}

/** Renderer of a preview that is always complete. */
function completeRenderer(
  draw: (...args: Parameters<PreviewRenderer['render']>) => Promise<Uint8Array>,
): PreviewRenderer['render'] {
  return async (...args) => ({ jpeg: await draw(...args), isWhole: true })
}

/**
 * Details, facts, content and previews of files. Returns a function that drops cached previews of a removed file.
 */
export function registerFileRoutes(app: FastifyInstance, service: Service): (file: RemovedFile) => void {
  const forgetPreviews = registerPreviewRoutes(app, service)
  app.get(routes.listFiles.path, async (request) => {
    const query = parseParameters(routes.listFiles.query, request.query)
    const { accountId } = authenticatedCaller(request)
    return success(await listFiles(service.db, { accountId, now: service.clock() }, query))
  })
  app.get(fastifyPath(routes.fileDetails.path), async (request) =>
    success(toFileDetails(await requestedFile(service, request), service.clock())),
  )
  app.get(fastifyPath(routes.inspectFile.path), async (request, reply) => {
    const row = await requestedFile(service, request)
    const { facts } = await probeStoredFile(service, row, { signal: abortOnDisconnect(reply) })
    return success<InspectedFile>({ ...toFileDetails(row, service.clock()), media: facts })
  })
  app.route({
    // Fastify's own HEAD route would send Content-Length 0.
    method: ['GET', 'HEAD'],
    url: fastifyPath(rawRoutes.downloadFile.path),
    handler: async (request, reply) =>
      withExistingFile(
        () => downloadableFile(service, request),
        (row) => sendStoredFile(service.files, { request, reply, row }),
      ),
  })
  app.delete(fastifyPath(routes.deleteFile.path), async (request) => {
    const { accountId } = authenticatedCaller(request)
    forgetPreviews(await deleteFile(service, { accountId, id: fileIdOf(request), now: service.clock() }))
    return success('')
  })
  app.post(fastifyPath(routes.extractSound.path), async (request, reply) => {
    const { clock } = service
    const row = await requestedFile(service, request)
    const sound = await storeSoundOf(service, row, { clock, signal: abortOnDisconnect(reply) })
    return success(toFileRecord(sound, clock()))
  })
  app.post(fastifyPath(routes.linkFile.path), async (request) => {
    const { id } = await requestedFile(service, request)
    const { expires_in } = readBody(linkRequest, request.body ?? {}, { expires_in: 3600 })
    const expires = Math.floor(service.clock() / 1000) + expires_in
    const url = await signLink(service.db, id, expires)
    return success({ url, expires_at: toTimestamp(expires * 1000) })
  })
  app.post(routes.cleanFiles.path, async (request) => {
    const { keep_days: keepDays } = readBody(cleanRequest, request.body ?? {}, { keep_days: 7 })
    const { accountId } = authenticatedCaller(request)
    const old = { now: service.clock(), keepDays, accountId, onRemoved: forgetPreviews }
    return success(await removeFilesByAge(service, old))
  })
  return forgetPreviews
}

/** Previews of files and the data they show. Returns a function that drops cached previews of a removed file. */
function registerPreviewRoutes(
  app: FastifyInstance,
  service: Service,
): ReturnType<typeof registerFileRoutes> {
  const previews = createPreviewCache(service)
  const regionPictureCache = createRegionPictureCache(service)
  app.get(fastifyPath(routes.showRegions.path), async (request, reply) => {
    const row = await requestedFile(service, request)
    const query = parseParameters(routes.showRegions.query, request.query)
    const { accountId } = authenticatedCaller(request)
    const { description } = await regionPictureCache.get(row, {
      query,
      accountId,
      signal: abortOnDisconnect(reply),
    })
    return success<ShownRegions>(description)
  })
  app.get(fastifyPath(rawRoutes.previewFile.path), async (request, reply) => {
    const { kind } = parseParameters(rawRoutes.previewFile.query, request.query)
    const row = await requestedFile(service, request)
    const signal = abortOnDisconnect(reply)
    const regions = async (): Promise<PreviewRenderer> => {
      const query = parseParameters(regionsQuery, request.query)
      const { accountId } = authenticatedCaller(request)
      const { name, frames } = await regionPictureCache.get(row, { query, accountId, signal })
      return { name, render: (path, facts, options) => regionSheet(path, facts, { ...options, frames }) }
    }
    const drawing =
      kind === 'regions'
        ? await regions()
        : kind === 'frame'
          ? frameRenderer(parseParameters(frameQuery, request.query).at)
          : previewRenderers[kind]
    const { jpeg, empty = [] } = await previews.render(row, drawing, signal)
    if (empty.length > 0) reply.header('x-empty-frames', empty.join())
    return reply.header('x-content-type-options', 'nosniff').type('image/jpeg').send(jpeg)
  })
  return (file) => {
    previews.forget(file)
    regionPictureCache.forget(file)
  }
}

/** Uses a file's content. Throws 6004 when the file is deleted meanwhile. */
async function withExistingFile<T>(
  find: () => Promise<FileRow>,
  use: (row: FileRow) => Promise<T>,
): Promise<T> {
  try {
    return await use(await find())
  } catch (error) {
    if (errorCode(error) === 'ENOENT') await find()
    throw error
  }
}

/** The requested file, by its owner's key or by a signed link. */
async function downloadableFile(service: Service, request: FastifyRequest): Promise<FileRow> {
  if (request.caller) return await requestedFile(service, request)
  return await findAnyFile(service.db, { id: fileIdOf(request), now: service.clock() })
}

function fileIdOf({ params }: FastifyRequest): string {
  return (params as { file_id: string }).file_id
}

async function requestedFile(service: Service, request: FastifyRequest): Promise<FileRow> {
  const { accountId } = authenticatedCaller(request)
  return await findOwnFile(service.db, { accountId, id: fileIdOf(request), now: service.clock() })
}
