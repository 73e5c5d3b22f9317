import type { FastifyInstance, FastifyRequest } from 'fastify'
import { messageSuccessCode } from '../contract/route.ts'
import type { OperationModule } from '../contract/operation.ts'
import { routes } from '../contract/routes.ts'
import { taskListQuery, type Priority } from '../contract/task.ts'
import { answerOf } from '../tasks/answer.ts'
import { cancelTask, stopTask } from '../tasks/end.ts'
import { readIdempotencyKey } from '../tasks/idempotency.ts'
import { listTasks } from '../tasks/list.ts'
import type { Service } from '../tasks/service.ts'
import { queryTask } from '../tasks/store.ts'
import { quoteTask, submitTask } from '../tasks/submit.ts'
import { callerOf } from './admission.ts'
import { success } from './failures.ts'
import { withFullLinks } from './full-links.ts'
import { pattern, read } from './parameters.ts'
import { forRequest } from './requests.ts'

/** Creation, quote, query, list and the two ends of tasks. */
export function taskRoutes(app: FastifyInstance, service: Service): void {
  app.post(pattern(routes.createTask.path), async (request) => {
    const { task_type: type } = request.params as { task_type: string }
    const { answer, ...submitted } = await submitTask(forRequest(service, request), callerOf(request), {
      type,
      body: request.body,
      priority: priorityOf(request),
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      join: prefers(request, 'join-identical'),
    })
    const module = service.operations.get(type)
    if (!module?.operation.synchronous || prefers(request, 'respond-async')) return successOf(module, answer)
    return successOf(module, await answerOf(forRequest(service, request), callerOf(request), submitted))
  })
  app.post(pattern(routes.quoteTask.path), async (request) => {
    const { task_type: type } = request.params as { task_type: string }
    const quote = await quoteTask(forRequest(service, request), callerOf(request), {
      type,
      body: request.body,
      priority: priorityOf(request),
      join: prefers(request, 'join-identical'),
    })
    return successOf(service.operations.get(type), quote)
  })
  app.get(pattern(routes.queryTask.path), async (request) => {
    const { task_type: type, task_id: id } = request.params as { task_type: string; task_id: string }
    const task = await queryTask(service.db, callerOf(request), { type, id })
    return successOf(service.operations.get(type), withFullLinks(service, request.address, task))
  })
  app.get(pattern(routes.listTasks.path), async (request) => {
    const query = read(taskListQuery, request.query)
    return success(await listTasks(service, callerOf(request), query))
  })
  app.post(pattern(routes.cancelTask.path), async (request) => {
    const { task_id: id } = request.params as { task_id: string }
    await cancelTask(forRequest(service, request), callerOf(request), id)
    return success('', 'the task was cancelled')
  })
  app.post(pattern(routes.stopTask.path), async (request) => {
    const { task_id: id } = request.params as { task_id: string }
    return success(
      await stopTask(forRequest(service, request), callerOf(request), id),
      'the task was stopped',
    )
  })
}

/** The envelope in which an operation answers (contract 1, section 2.1). */
function successOf<T>(module: OperationModule | undefined, data: T) {
  if (module?.operation.envelope !== 'message') return success(data)
  return { code: messageSuccessCode, message: 'success', data }
}

/** Whether the Prefer header (RFC 7240) names something: to join a task that is there, or not to wait for a result. */
function prefers(request: FastifyRequest, wish: 'join-identical' | 'respond-async'): boolean {
  const preferences = String(request.headers['prefer'] ?? '').split(',')
  return preferences.some((preference) => preference.trim().toLowerCase() === wish)
}

/** Urgency of the Priority header (RFC 9218): 0 to 7, 3 when it is absent. */
function priorityOf(request: FastifyRequest): Priority {
  const [, digit = '3'] =
    /(?:^|[,\s])u=([0-7])(?:$|[,;\s])/.exec(String(request.headers['priority'] ?? '')) ?? []
  const urgency = Number(digit)
  if (urgency < 3) return 'high'
  return urgency > 3 ? 'low' : 'normal'
}
