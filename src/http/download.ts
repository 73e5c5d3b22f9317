import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileRow } from '../db/schema.ts'
import type { FileStore } from '../files/store.ts'
import { isKnown } from './conditional.ts'
import { mediaTypeOf } from './media-types.ts'
import { attachment } from './names.ts'
import { chooseRange } from './range.ts'

/** Answers a file's bytes, or the range of them that is asked for (RFC 9110, sections 13 and 14). */
export async function download(
  files: FileStore,
  { request, reply, row }: { request: FastifyRequest; reply: FastifyReply; row: FileRow },
): Promise<FastifyReply> {
  const tag = `"${row.blake3}"`
  void reply
    .header('etag', tag)
    .header('accept-ranges', 'bytes')
    .header('content-disposition', attachment(row.name))
    .header('x-content-type-options', 'nosniff')
    // A stored page must not run as one of this service's.
    .header('content-security-policy', "sandbox; default-src 'none'")
    .type(mediaTypeOf(row.ext))
  if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
  const range = wantedRange(request, { tag, size: row.size })
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${row.size}`).send()
  }
  if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${row.size}`)
  void reply.header('content-length', range ? range.end - range.start + 1 : row.size)
  if (request.method === 'HEAD') return reply.send()
  return reply.send(await files.read(row.blake3, range))
}

/** Only GET knows ranges; an If-Range of another version asks for the whole. */
function wantedRange({ method, headers }: FastifyRequest, { tag, size }: { tag: string; size: number }) {
  const given = headers['if-range']
  const usable = method === 'GET' && (given === undefined || given === tag)
  return usable ? chooseRange(headers.range, size) : undefined
}
