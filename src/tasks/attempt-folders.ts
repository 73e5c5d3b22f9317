import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StagedFile } from '../contract/operation.ts'
import { isTerminal } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { probeStoredFile } from '../files/probe.ts'
import type { Service } from './service.ts'

/** Creation saw which pictures are needed. */
const asChecked = { audioOnly: true }

/**
 * Puts a task's input files into a new folder, whatever their records say by now: a file is kept while a
 * task needs it.
 */
export async function stageInputs(service: Service, task: TaskRow, folder: string): Promise<StagedFile[]> {
  await mkdir(folder)
  const rows = await service.db
    .selectFrom('task_files')
    .innerJoin('files', 'files.id', 'task_files.file_id')
    .selectAll('files')
    .where('task_id', '=', task.id)
    .where('role', '=', 'input')
    .execute()
  const staged: StagedFile[] = []
  for (const row of rows) {
    const path = join(folder, `${row.id}${row.ext}`)
    await service.files.stage(row.blake3, path)
    staged.push({ ...(await probeStoredFile(service, row, asChecked)), path })
  }
  return staged
}

/** Where the finished steps of a task are, which outlive its attempts. */
export function stepsFolder({ steps }: Pick<Service, 'steps'>, { id }: { readonly id: string }): string {
  return join(steps, id)
}

/** Removes the finished steps of those of these tasks that have ended, or are not there. */
export async function removeEndedSteps(
  service: Pick<Service, 'db' | 'steps'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const task = await service.db.selectFrom('tasks').select('status').where('id', '=', id).executeTakeFirst()
    if (task && !isTerminal(task.status)) continue
    await rm(stepsFolder(service, { id }), { recursive: true, force: true })
  }
}

/** Removes what is left of tasks that ended while nobody could remove it. */
export async function removeOrphanedSteps(service: Pick<Service, 'db' | 'steps'>): Promise<void> {
  await removeEndedSteps(service, await readdir(service.steps))
}
