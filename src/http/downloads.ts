import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileRow } from '../db/schema.ts'
import type { ByteRange, FileStore, ReadableContent } from '../files/store.ts'
import { contentDisposition } from './file-names.ts'
import { matchesEtag } from './responses.ts'

/** Sends a stored file or the requested range. */
export async function sendStoredFile(
  files: FileStore,
  { request, reply, row }: { request: FastifyRequest; reply: FastifyReply; row: FileRow },
): Promise<FastifyReply> {
  return await sendContent(
    { request, reply },
    {
      ...row,
      tag: row.blake3,
      read: (range) => files.read(row.blake3, range),
    },
  )
}

/** Sends content or the requested range (RFC 9110, sections 13 and 14). */
export async function sendContent(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  content: ReadableContent,
): Promise<FastifyReply> {
  const { name, ext, size, read } = content
  const tag = `"${content.tag}"`
  void reply
    .header('etag', tag)
    .header('accept-ranges', 'bytes')
    .header('content-disposition', contentDisposition(name))
    .header('x-content-type-options', 'nosniff')
    // A stored HTML file must not run with the origin of this service.
    .header('content-security-policy', "sandbox; default-src 'none'")
    .type(mediaTypeOf(ext))
  if (matchesEtag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  const range = requestedRange(request, { tag, size })
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${size}`).send()
  }
  if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  void reply.header('content-length', range ? range.end - range.start + 1 : size)
  if (request.method === 'HEAD') return reply.send()
  return reply.send(await read(range))
}

/** Range of a GET request; undefined for other methods and for an If-Range of another version. */
function requestedRange({ method, headers }: FastifyRequest, { tag, size }: { tag: string; size: number }) {
  const ifRange = headers['if-range']
  const usable = method === 'GET' && (ifRange === undefined || ifRange === tag)
  return usable ? parseRange(headers.range, size) : undefined
}

/**
 * Parses a Range header with one byte range (RFC 9110, section 14). Returns undefined, for the whole file, when the
 * header is absent, has another unit or several ranges, or is invalid.
 *
 * @param size of the file, bytes
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? Infinity : Number(last)
  if (end < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) }
}

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
  '.txt': 'text/plain',
  '.html': 'text/html',
  '.srt': 'application/x-subrip',
  '.ass': 'text/x-ssa',
  '.vtt': 'text/vtt',
}

/** Media type by extension; `application/octet-stream` when there is no common one. */
function mediaTypeOf(extension: string): string {
  return mediaTypes[extension] ?? 'application/octet-stream'
}
