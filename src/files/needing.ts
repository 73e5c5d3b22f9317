import { isTerminal, taskStates } from '../contract/task.ts'
import type { Db } from '../db/schema.ts'

const liveStates = taskStates.filter((state) => !isTerminal(state))

/** A task that has not ended and has this file as an input; undefined where there is none. */
export async function findNeeding(db: Db, fileId: string) {
  return await db
    .selectFrom('task_files')
    .innerJoin('tasks', 'tasks.id', 'task_files.task_id')
    .select(['tasks.id', 'tasks.status'])
    .where('file_id', '=', fileId)
    .where('role', '=', 'input')
    .where('status', 'in', liveStates)
    .limit(1)
    .executeTakeFirst()
}
