import type { TaskRecord } from '../contract/task.ts'
import type { Service } from '../tasks/service.ts'

/**
 * A task as it is answered to a caller: where its operation says so, the download addresses of its result are full
 * ones, under the address by which that caller reached the service.
 */
export function withFullLinks(
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
