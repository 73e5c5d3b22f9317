import type { Service } from './service.ts'

/**
 * Expected milliseconds until a task created now starts: the expected work that is queued or
 * running, shared by the workers.
 */
export async function estimateWait(service: Service): Promise<number> {
  const { work } = await service.db
    .selectFrom('tasks')
    .select((eb) => eb.fn.sum<number | string | null>('estimated_ms').as('work'))
    .where('status', 'in', ['queued', 'processing'])
    .executeTakeFirstOrThrow()
  return Math.ceil(Number(work ?? 0) / service.concurrency)
}
