import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isTerminal } from '../contract/task.ts'
import type { Service } from './service.ts'

/** Where the finished steps of a task are, which outlive its attempts. */
export function stepsOf({ steps }: Pick<Service, 'steps'>, { id }: { readonly id: string }): string {
  return join(steps, id)
}

/** Removes the finished steps of those of these tasks that have ended, or are not there. */
export async function removeStepsOfEnded(
  service: Pick<Service, 'db' | 'steps'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const task = await service.db.selectFrom('tasks').select('status').where('id', '=', id).executeTakeFirst()
    if (task && !isTerminal(task.status)) continue
    await rm(stepsOf(service, { id }), { recursive: true, force: true })
  }
}

/** Removes what is left of tasks that ended while nobody could remove it. */
export async function sweepSteps(service: Pick<Service, 'db' | 'steps'>): Promise<void> {
  await removeStepsOfEnded(service, await readdir(service.steps))
}
