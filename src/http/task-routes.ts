import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OperationModule } from '../contract/operation.ts'
import { messageSuccessCode } from '../contract/route.ts'
import { routes } from '../contract/routes.ts'
import { type Priority, taskListQuery, type TaskRecord, taskSubjectsQuery } from '../contract/task.ts'
import { awaitResult } from '../tasks/await-result.ts'
import { cancelTask, stopTask } from '../tasks/cancel.ts'
import { readIdempotencyKey } from '../tasks/idempotency.ts'
import { listTasks, queryTask } from '../tasks/records.ts'
import { listSubjects } from '../tasks/subjects.ts'
import type { Service } from '../tasks/service.ts'
import { quoteTask, submitTask } from '../tasks/submit.ts'
import { authenticatedCaller } from './authentication.ts'
import { abortOnDisconnect } from './connections.ts'
import { offersAnswers } from './question-routes.ts'
import { fastifyPath, parseParameters } from './request-input.ts'
import { withRequestLog } from './request-log.ts'
import { success } from './responses.ts'

/** Creates, quotes, queries, lists, cancels and stops tasks. */
export function registerTaskRoutes(app: FastifyInstance, service: Service): void {
  registerCreation(app, service)
  registerQueries(app, service)
  app.post(fastifyPath(routes.cancelTask.path), async (request) => {
    const { task_id: id } = request.params as { task_id: string }
    await cancelTask(withRequestLog(service, request), authenticatedCaller(request), id)
    return success('', 'the task was cancelled')
  })
  app.post(fastifyPath(routes.stopTask.path), async (request) => {
    const { task_id: id } = request.params as { task_id: string }
    return success(
      await stopTask(withRequestLog(service, request), authenticatedCaller(request), id),
      'the task was stopped',
    )
  })
}

function registerCreation(app: FastifyInstance, service: Service): void {
  const created = { onRequest: limitRate(service, 'take') }
  const quoted = { onRequest: limitRate(service, 'takeQuote') }
  app.post(fastifyPath(routes.createTask.path), created, async (request, reply) => {
    const { task_type: type } = request.params as { task_type: string }
    const { response: answer, ...submitted } = await submitTask(
      withRequestLog(service, request),
      authenticatedCaller(request),
      {
        type,
        body: request.body,
        priority: requestedPriority(request),
        offersAnswers: offersAnswers(request),
        idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
        join: hasPreference(request, 'join-identical'),
        signal: abortOnDisconnect(reply),
      },
    )
    const module = service.operations.get(type)
    if (!module?.operation.synchronous || hasPreference(request, 'respond-async'))
      return operationSuccess(module, answer)
    return operationSuccess(
      module,
      await awaitResult(withRequestLog(service, request), authenticatedCaller(request), submitted),
    )
  })
  app.post(fastifyPath(routes.quoteTask.path), quoted, async (request, reply) => {
    const { task_type: type } = request.params as { task_type: string }
    const quote = await quoteTask(withRequestLog(service, request), authenticatedCaller(request), {
      type,
      body: request.body,
      priority: requestedPriority(request),
      offersAnswers: offersAnswers(request),
      join: hasPreference(request, 'join-identical'),
      signal: abortOnDisconnect(reply),
    })
    return operationSuccess(service.operations.get(type), quote)
  })
}

function registerQueries(app: FastifyInstance, service: Service): void {
  app.get(fastifyPath(routes.queryTask.path), async (request) => {
    const { task_type: type, task_id: id } = request.params as { task_type: string; task_id: string }
    const task = await queryTask(service.db, authenticatedCaller(request), { type, id })
    return operationSuccess(service.operations.get(type), withAbsoluteLinks(service, request.address, task))
  })
  app.get(fastifyPath(routes.listTasks.path), async (request) => {
    const query = parseParameters(taskListQuery, request.query)
    return success(await listTasks(service, authenticatedCaller(request), query))
  })
  app.get(fastifyPath(routes.listSubjects.path), async (request) => {
    const { ids } = parseParameters(taskSubjectsQuery, request.query)
    return success({ list: await listSubjects(service, authenticatedCaller(request), ids) })
  })
}

/** Counts requests of a task type towards the limits of their key, before their bodies are read. Throws 6032. */
function limitRate({ operations, rates }: Service, take: 'take' | 'takeQuote') {
  return async (request: FastifyRequest): Promise<void> => {
    const { task_type: type } = request.params as { task_type: string }
    const operation = operations.get(type)?.operation
    if (operation) rates[take](authenticatedCaller(request).keyId, operation)
  }
}

/** Success in the envelope of an operation (contract 1, section 2.1). */
function operationSuccess<T>(module: OperationModule | undefined, data: T) {
  if (module?.operation.envelope !== 'message') return success(data)
  return { code: messageSuccessCode, message: 'success', data }
}

/**
 * Whether the Prefer header (RFC 7240) contains a preference: to join an identical task, or not to wait for the
 * result.
 */
function hasPreference(request: FastifyRequest, preference: 'join-identical' | 'respond-async'): boolean {
  const preferences = String(request.headers['prefer'] ?? '').split(',')
  return preferences.some((item) => item.trim().toLowerCase() === preference)
}

/** Priority from the urgency in the Priority header (RFC 9218): 0 to 7, 3 by default. */
function requestedPriority(request: FastifyRequest): Priority {
  const [, digit = '3'] =
    /(?:^|[,\s])u=([0-7])(?:$|[,;\s])/.exec(String(request.headers['priority'] ?? '')) ?? []
  const urgency = Number(digit)
  if (urgency < 3) return 'high'
  return urgency > 3 ? 'low' : 'normal'
}

/**
 * A task whose result has absolute download URLs, if its operation requires it, under the address that the caller
 * used.
 */
export function withAbsoluteLinks(
  { operations }: Pick<Service, 'operations'>,
  address: string,
  task: TaskRecord,
): TaskRecord {
  const { output_result: result, task_type: type } = task
  if (result === null || !operations.get(type)?.operation.fullLinks) return task
  const fields = Object.entries(result).map(([name, value]) => {
    const isLink = /(?:^|_)download_url$/.test(name) && typeof value === 'string'
    return [name, isLink ? new URL(value, address).href : value] as const
  })
  return { ...task, output_result: Object.fromEntries(fields) }
}
