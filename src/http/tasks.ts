import type { FastifyInstance, FastifyRequest } from 'fastify'
import { routes } from '../contract/routes.ts'
import { taskListQuery, type Priority } from '../contract/task.ts'
import type { Service } from '../tasks/service.ts'
import { listTasks } from '../tasks/list.ts'
import { cancelTask, queryTask } from '../tasks/store.ts'
import { submitTask } from '../tasks/submit.ts'
import { callerOf } from './admission.ts'
import { success } from './failures.ts'
import { pattern, read } from './parameters.ts'

/** Creation, query, list and cancel of tasks. */
export function taskRoutes(app: FastifyInstance, service: Service): void {
  app.post(pattern(routes.createTask.path), async (request) => {
    const { task_type: type } = request.params as { task_type: string }
    const priority = priorityOf(request)
    return success(await submitTask(service, callerOf(request), { type, body: request.body, priority }))
  })
  app.get(pattern(routes.queryTask.path), async (request) => {
    const { task_type: type, task_id: id } = request.params as { task_type: string; task_id: string }
    return success(await queryTask(service.db, callerOf(request), { type, id }))
  })
  app.get(pattern(routes.listTasks.path), async (request) => {
    const query = read(taskListQuery, request.query)
    return success(await listTasks(service, callerOf(request), query))
  })
  app.post(pattern(routes.cancelTask.path), async (request) => {
    const { task_id: id } = request.params as { task_id: string }
    await cancelTask(service, callerOf(request), id)
    return success('', 'the task was cancelled')
  })
}

/** Urgency of the Priority header (RFC 9218): 0 to 7, 3 when it is absent. */
function priorityOf(request: FastifyRequest): Priority {
  const [, digit = '3'] =
    /(?:^|[,\s])u=([0-7])(?:$|[,;\s])/.exec(String(request.headers['priority'] ?? '')) ?? []
  const urgency = Number(digit)
  if (urgency < 3) return 'high'
  return urgency > 3 ? 'low' : 'normal'
}
