import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Tells whether an If-None-Match names a strong tag (RFC 9110, section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}

/** Answers text that seldom changes: with an ETag of its content, or 304 to a caller who has it. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, text }: { readonly type: string; readonly text: string },
): FastifyReply {
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`
  void reply.header('etag', tag).header('cache-control', 'private, no-cache')
  if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.header('x-content-type-options', 'nosniff').type(type).send(text)
}
