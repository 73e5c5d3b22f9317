import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newId } from '../../src/contract/fields.ts'
import { isTerminal } from '../../src/contract/task.ts'
import { fail, contractTime, ok } from './contract-responses.ts'
import type { ContractServer, StoredTask } from './contract-server.ts'

interface Creation {
  readonly Params: { readonly type: string }
  readonly Body: Record<string, unknown>
}

/** Task record of queries and events. */
export function taskRecord(task: StoredTask): Record<string, unknown> {
  const { id, type, status, progress, output, note, questionsOpen } = task
  const times = { create_time: contractTime, update_time: contractTime }
  const record = { task_id: id, id, task_type: type, status, progress, output_result: output, ...times }
  return {
    ...record,
    ...(note !== undefined && { note }),
    ...(questionsOpen !== undefined && { questions_open: questionsOpen }),
  }
}

/** Task endpoints of the test double. */
export function serveTasks(app: FastifyInstance, double: ContractServer): void {
  const joinable = ({ headers, params, body }: FastifyRequest<Creation>): StoredTask | undefined =>
    headers['prefer'] === 'join-identical'
      ? [...double.tasks.values()].find(
          (task) =>
            !isTerminal(task.status) && task.type === params.type && isDeepStrictEqual(task.body, body),
        )
      : undefined
  app.get('/base/capabilities', async () =>
    ok({
      protocol_version: 2,
      version: '0.0.0-test',
      operations: double.operations,
      limits: {
        max_file_bytes: 2 ** 30,
        part_bytes: 2 ** 25,
        upload_session_hours: 72,
        max_body_bytes: 2 ** 25,
        retention_days: 60,
        page_size: 20,
        max_page_size: 100,
      },
      credits: { balance: 100 },
      storage: { used_bytes: 0 },
      tasks: { queued: 0, processing: 0 },
    }),
  )
  app.get<{ Querystring: { page?: string; page_size?: string } }>('/task/list', async ({ query }) => {
    const [page, pageSize] = [Number(query.page ?? 1), Number(query.page_size ?? 20)]
    const all = [...double.tasks.values()].toReversed()
    const list = all.slice((page - 1) * pageSize, page * pageSize).map((task) => ({
      id: task.id,
      status: task.status,
      ...(task.questionsOpen !== undefined && { questions_open: task.questionsOpen }),
      priority: 'normal',
      progress: task.progress,
      estimated_duration: 12,
      estimated_queue_wait_duration: 40,
      actual_duration: task.status === 'processing' ? double.processingSeconds : null,
      process_start_time: null,
      finish_time: null,
      create_time: contractTime,
      task_type_key: task.type,
      task_type_name: 'Split screen',
    }))
    return ok({ list, total: all.length, page, page_size: pageSize })
  })
  app.post<Creation>('/task/:type', (request, reply) => {
    const { type } = request.params
    const unfinished = joinable(request)
    if (unfinished) {
      const { id, status } = unfinished
      return reply.send(ok({ task_id: id, task_type: type, status, joined: true }))
    }
    const task: StoredTask = {
      id: newId(),
      type,
      body: request.body,
      status: 'queued',
      progress: 0,
      output: null,
    }
    double.tasks.set(task.id, task)
    double.onCreate(task)
    return reply.send(ok({ task_id: task.id, task_type: type, status: 'queued' }))
  })
  app.post<Creation>('/task/:type/quote', async (request) =>
    ok({
      credits: joinable(request) ? 0 : double.price,
      estimated_duration: 12,
      estimated_queue_wait_duration: 40,
      estimated_total_duration: 52,
    }),
  )
  app.get<{ Params: { type: string; id: string } }>('/task/:type/:id', async (request, reply) => {
    const task = double.tasks.get(request.params.id)
    const found = task?.type === request.params.type
    return found ? ok(taskRecord(task)) : fail(reply, [6005, 404], 'no such task')
  })
  app.post<{ Params: { id: string } }>('/task/:id/cancel', async (request, reply) => {
    const task = double.tasks.get(request.params.id)
    if (!task) return fail(reply, [6005, 404], 'no such task')
    if (task.status !== 'queued') return fail(reply, [6007, 409], 'already under way')
    double.updateTask(task.id, { status: 'cancelled' })
    return ok('')
  })
  app.post<{ Params: { id: string } }>('/task/:id/stop', async (request, reply) => {
    const task = double.tasks.get(request.params.id)
    if (!task) return fail(reply, [6005, 404], 'no such task')
    if (isTerminal(task.status)) return fail(reply, [6007, 409], 'already ended')
    const error = { code: 6009, message: 'stopped on request', retryable: false }
    double.updateTask(
      task.id,
      task.status === 'processing' ? { status: 'failed', output: { error } } : { status: 'cancelled' },
    )
    return ok(taskRecord(task))
  })
}
