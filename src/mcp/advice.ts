import type { TaskView } from '../client/tasks.ts'
import type { Session } from './session.ts'

/** What the operation of a completed task says is to be done next with its result. */
export function operationAdvice(
  { operations }: Pick<Session, 'operations'>,
  view: TaskView,
): string | undefined {
  const operation = operations.find(({ name }) => name === view.task_type)
  if (view.status !== 'completed' || !operation?.nextStep) return undefined
  const output = operation.output.safeParse(view.output_result)
  return output.success ? operation.nextStep(output.data) : undefined
}
