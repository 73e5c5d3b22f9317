import type { Caller } from '../accounts/keys.ts'
import type { TaskSubject } from '../contract/task.ts'
import type { Service } from './service.ts'

/** Most files of a subject. */
const maxFiles = 64

/** Longest text of a subject, characters. */
const maxText = 500

type SubjectFile = TaskSubject['files'][number]

/** Returns the subjects of those of the tasks that are the caller's: for people, what each works on. */
export async function listSubjects(
  { db, operations }: Service,
  caller: Caller,
  ids: readonly string[],
): Promise<TaskSubject[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'type', 'input'])
    .where('account_id', '=', caller.accountId)
    .where('id', 'in', ids)
    .execute()
  if (rows.length === 0) return []
  const owned = rows.map(({ id }) => id)
  const inputs = await db
    .selectFrom('task_files')
    .innerJoin('files', 'files.id', 'task_files.file_id')
    .select(['task_id', 'file_id', 'name'])
    .where('role', '=', 'input')
    .where('task_id', 'in', owned)
    .execute()
  return rows.map(({ id, type, input }) => {
    const files = inputs.filter((file) => file.task_id === id)
    const text = operations.get(type)?.operation.subject?.(JSON.parse(input) as Record<string, unknown>)
    return {
      task_id: id,
      files: inRequestOrder(input, files),
      ...(text !== undefined && { text: text.slice(0, maxText) }),
    }
  })
}

/** Returns the files in the order in which a request names them, as often as it does. input: JSON. */
function inRequestOrder(input: string, files: readonly SubjectFile[]): SubjectFile[] {
  const byId = new Map(files.map(({ file_id, name }) => [file_id, { file_id, name }]))
  if (byId.size === 0) return []
  const named: SubjectFile[] = []
  for (const [, id = ''] of input.matchAll(/"(\d{19})"/g)) {
    const file = byId.get(id)
    if (file && named.push(file) === maxFiles) break
  }
  return named
}
