import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { routes, taskIdParameter } from '../contract/routes.ts'
import { taskListQuery, type Priority } from '../contract/task.ts'
import type { Service } from '../tasks/service.ts'
import { cancelTask, listTasks, queryTask } from '../tasks/store.ts'
import { submitTask } from '../tasks/submit.ts'
import { callerOf } from './admission.ts'
import { success } from './failures.ts'
import { route } from './files.ts'

const typeParameter = z.object({ task_type: z.string() })
const taskParameters = taskIdParameter.extend(typeParameter.shape)

/** Creation, query, list and cancel of tasks. */
export function taskRoutes(app: FastifyInstance, service: Service): void {
  app.post(route(routes.createTask.path), async (request) => {
    const { task_type: type } = typeParameter.parse(request.params)
    const priority = priorityOf(request)
    return success(await submitTask(service, callerOf(request), { type, body: request.body, priority }))
  })
  app.get(route(routes.queryTask.path), async (request) => {
    const { task_type: type, task_id: id } = taskParameters.parse(request.params)
    return success(await queryTask(service.db, callerOf(request), { type, id }))
  })
  app.get(route(routes.listTasks.path), async (request) => {
    const query = taskListQuery.safeParse(request.query)
    if (!query.success) throw new MediaError(6016, z.prettifyError(query.error))
    return success(await listTasks(service, callerOf(request), query.data))
  })
  app.post(route(routes.cancelTask.path), async (request) => {
    const { task_id: id } = taskIdParameter.parse(request.params)
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
