import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StagedFile } from '../contract/operation.ts'
import { isTerminal } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { probeStoredFile } from '../files/probe.ts'
import { findInlineImagesOf } from './inline-images.ts'
import type { Service } from './service.ts'

/** The video streams that the operation needs were checked at creation. */
const asChecked = { audioOnly: true }

/** Links or copies a task's input files and inline images into a new folder. Files of a live task exist even if their records expired. */
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
    staged.push({ ...(await probeStoredFile(service, row, asChecked)), path, blake3: row.blake3 })
  }
  for (const { blake3, ext, size } of await findInlineImagesOf(service.db, task.id)) {
    const path = join(folder, `${blake3}${ext}`)
    await service.files.stage(blake3, path)
    staged.push({ file_id: blake3, blake3, name: `image${ext}`, size, kind: 'image', facts: null, path })
  }
  return staged
}

/** Folder of a task's finished steps, which later attempts reuse. */
export function stepsFolder({ steps }: Pick<Service, 'steps'>, { id }: { readonly id: string }): string {
  return join(steps, id)
}

/** Removes the steps folders of those of these tasks that have ended or do not exist. */
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

/** Removes the steps folders of tasks that ended while the service was down. */
export async function removeOrphanedSteps(service: Pick<Service, 'db' | 'steps'>): Promise<void> {
  await removeEndedSteps(service, await readdir(service.steps))
}
