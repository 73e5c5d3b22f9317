import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag, success } from './responses.ts'

/** Shorter documents are not compressed: they fit in one packet, bytes. */
const minCompressedBytes = 1400

/** One encoding of a document, with the ETag of its bytes. */
interface Representation {
  readonly bytes: Buffer
  readonly etag: string
}

/** A document that is encoded, compressed and hashed once, however often it is sent. */
export class StaticDocument {
  readonly #type: string
  readonly #plain: Representation
  readonly #gzip: Representation | undefined

  /** type: media type with the character set. */
  constructor(type: string, text: string) {
    this.#type = type
    const bytes = Buffer.from(text)
    this.#plain = represent(bytes)
    if (bytes.length >= minCompressedBytes) this.#gzip = represent(gzipSync(bytes))
  }

  /** A success envelope as JSON. */
  static envelope(data: unknown): StaticDocument {
    return new StaticDocument('application/json; charset=utf-8', JSON.stringify(success(data)))
  }

  /** Memory that it takes, bytes. */
  get byteLength(): number {
    return this.#plain.bytes.length + (this.#gzip?.bytes.length ?? 0)
  }

  /** Sends the document, compressed if the client accepts that, or 304 if the client has it. */
  send({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const gzip = acceptsGzip(headers['accept-encoding']) ? this.#gzip : undefined
    const { bytes, etag } = gzip ?? this.#plain
    void reply.header('etag', etag).header('cache-control', 'private, no-cache')
    if (this.#gzip) void reply.header('vary', 'accept-encoding')
    if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send()
    if (gzip) void reply.header('content-encoding', 'gzip')
    return reply.header('x-content-type-options', 'nosniff').type(this.#type).send(bytes)
  }
}

function represent(bytes: Buffer): Representation {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** Whether an Accept-Encoding header names gzip without excluding it (RFC 9110, section 12.5.3). */
function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .split(',')
    .some((part) => /^\s*gzip\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/i.test(part))
}
