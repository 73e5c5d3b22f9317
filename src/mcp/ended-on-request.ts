import type { TaskView } from '../client/tasks.ts'
import { taskError } from '../contract/task.ts'

/** Whether a task was ended on request: one that was stopped while it was worked on has failed with 6009. */
export function wasStoppedOnRequest({ status, output_result }: TaskView): boolean {
  return status === 'cancelled' || taskError.safeParse(output_result?.['error']).data?.code === 6009
}
