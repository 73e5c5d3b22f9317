import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonElementLimit } from '../contract/bounded-json.ts'
import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import { operationBodyBytes } from '../contract/operation.ts'
import { defaultBodyBytes } from '../contract/route.ts'
import { endpoints, routes } from '../contract/routes.ts'
import { BodyBudget, type BodyReservation } from '../json/body-budget.ts'
import { parseForeignJson } from '../json/large-json.ts'
import { withTimeout } from '../platform/concurrency.ts'
import { readAtMost, TooLargeError } from '../platform/streams.ts'
import type { Service } from '../tasks/service.ts'
import { abortOnDisconnect } from './connections.ts'
import { fastifyPath } from './request-input.ts'
import { requestInterrupted } from './responses.ts'

/** Sender of requests without a key; no account has this id. */
const unauthenticatedSender = 0

/** How long the body of a request that needs no key may take to arrive, ms. */
const openBodyTimeoutMs = 10_000

const limitsByPath: ReadonlyMap<string, number | undefined> = new Map(
  Object.values(endpoints).map(({ path, maxBodyBytes }) => [fastifyPath(path), maxBodyBytes]),
)

/** Endpoints whose body is the input of the task type in their path. */
const taskPaths: readonly string[] = [routes.createTask.path, routes.quoteTask.path].map(fastifyPath)

/**
 * Accepts JSON bodies only, within the limits of each endpoint and task type, and of the memory for the bodies of each
 * account and of all, until their requests end. An empty body counts as absent, because many clients send the JSON
 * content type without one.
 */
export function registerJsonParser(
  app: FastifyInstance,
  service: Pick<Service, 'operations'>,
  openBodyMs: number = openBodyTimeoutMs,
): void {
  const budget = new BodyBudget()
  const replies = new WeakMap<FastifyRequest, FastifyReply>()
  app.addHook('preParsing', async (request, reply) => void replies.set(request, reply))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const maxBytes = bodyLimit(request, service)
    const reply = replies.get(request)
    if (!reply) throw new Error('a body is parsed before its request is prepared')
    const sender = request.caller?.accountId ?? unauthenticatedSender
    const reservation = budget.open(sender)
    releaseAtEnd(reply, reservation)
    const reading = readBody(request, payload, { maxBytes, reservation })
    const bytes = request.caller
      ? await reading
      : await withTimeout(reading, openBodyMs, () => requestInterrupted())
    if (bytes.length === 0) return undefined
    const maxElements = jsonElementLimit(maxBytes)
    const signal = abortOnDisconnect(reply)
    return await parseForeignJson(bytes, { name: 'the body', maxElements, sender, signal })
  })
}

function bodyLimit(
  { routeOptions: { url = '' }, params }: FastifyRequest,
  { operations }: Pick<Service, 'operations'>,
): number {
  if (!taskPaths.includes(url)) return limitsByPath.get(url) ?? defaultBodyBytes
  const { task_type: type } = params as { task_type: string }
  return operationBodyBytes(operations.get(type)?.operation)
}

/** Returns the bytes of a body to the budget once its response is sent or its client has disconnected. */
function releaseAtEnd({ raw }: FastifyReply, reservation: BodyReservation): void {
  if (raw.closed) throw requestInterrupted()
  raw.once('close', () => reservation.release())
}

interface ReadBodyOptions {
  readonly maxBytes: number
  readonly reservation: BodyReservation
}

async function readBody(
  { headers }: FastifyRequest,
  payload: Readable,
  { maxBytes, reservation }: ReadBodyOptions,
): Promise<Buffer> {
  const tooLarge = () =>
    new MediaError(6016, `the body is larger than ${describeSize(maxBytes)}`, {
      hint: 'Send fewer entries, or upload large content and name its file.',
    })
  const declaredBytes = Number(headers['content-length'] ?? 0)
  if (declaredBytes > maxBytes) throw tooLarge()
  // Reserved at once, so that bodies that arrive together are not all rejected half-way.
  reservation.raiseTo(declaredBytes)
  try {
    // Destroying the body would close the connection before the response.
    const chunks = payload.iterator({ destroyOnReturn: false })
    return await readAtMost(chunks, maxBytes, (bytes) => reservation.raiseTo(bytes))
  } catch (error) {
    if (error instanceof MediaError) throw error
    throw error instanceof TooLargeError ? tooLarge() : requestInterrupted(error)
  }
}
