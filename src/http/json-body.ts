import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonElementLimit } from '../contract/bounded-json.ts'
import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import { operationBodyBytes } from '../contract/operation.ts'
import { defaultBodyBytes } from '../contract/route.ts'
import { endpoints, routes } from '../contract/routes.ts'
import { parseForeignJson } from '../json/large-json.ts'
import { withTimeout } from '../platform/concurrency.ts'
import { readAtMost, TooLargeError } from '../platform/streams.ts'
import type { Service } from '../tasks/service.ts'
import { fastifyPath } from './request-input.ts'
import { requestInterrupted } from './responses.ts'

/** How long the body of a request that needs no key may take to arrive, ms. */
const openBodyTimeoutMs = 10_000

const limitsByPath: ReadonlyMap<string, number | undefined> = new Map(
  Object.values(endpoints).map(({ path, maxBodyBytes }) => [fastifyPath(path), maxBodyBytes]),
)

/** Endpoints whose body is the input of the task type in their path. */
const taskPaths: readonly string[] = [routes.createTask.path, routes.quoteTask.path].map(fastifyPath)

/**
 * Accepts JSON bodies only, within the limits of each endpoint and task type. An empty body counts as absent, because
 * many clients send the JSON content type without one.
 */
export function registerJsonParser(
  app: FastifyInstance,
  service: Pick<Service, 'operations'>,
  openBodyMs: number = openBodyTimeoutMs,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const maxBytes = bodyLimit(request, service)
    const reading = readBody(request, payload, maxBytes)
    const bytes = request.caller
      ? await reading
      : await withTimeout(reading, openBodyMs, () => requestInterrupted())
    if (bytes.length === 0) return undefined
    return await parseForeignJson(bytes, 'the body', { maxElements: jsonElementLimit(maxBytes) })
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

async function readBody({ headers }: FastifyRequest, payload: Readable, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new MediaError(6016, `the body is larger than ${describeSize(maxBytes)}`, {
      hint: 'Send fewer entries, or upload large content and name its file.',
    })
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  try {
    // Destroying the body would close the connection before the response.
    return await readAtMost(payload.iterator({ destroyOnReturn: false }), maxBytes)
  } catch (error) {
    throw error instanceof TooLargeError ? tooLarge() : requestInterrupted(error)
  }
}
