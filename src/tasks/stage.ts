import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StagedFile } from '../contract/operation.ts'
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
