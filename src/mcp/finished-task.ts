import { hash } from 'node:crypto'
import { fetchTask } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import type { Operation } from '../contract/operation.ts'
import { routes } from '../contract/routes.ts'
import { findResultFiles } from './file-delivery.ts'
import type { KnownTask, Session } from './session.ts'

/**
 * SHA-256 of a request. Its defaults are applied, so that an explicit default is the same as an absent field; invalid
 * fields are left to the service.
 */
export function hashRequest({ name, input }: Operation, body: Readonly<Record<string, unknown>>): string {
  return hash('sha256', JSON.stringify([name, input.safeParse(body).data ?? body]))
}

/** A task of this session whose result an equal request can be offered; undefined if there is none. */
export async function findFinishedTask(
  session: Session,
  operation: Operation,
  requestKey: string,
): Promise<KnownTask | undefined> {
  const taskId = operation.resultVaries ? undefined : session.results.find(requestKey)
  const task = taskId === undefined ? undefined : session.tasks.get(taskId)
  if (!task) return undefined
  try {
    const { status, output_result } = await fetchTask(session.client, task)
    if (status !== 'completed') return undefined
    for (const { file_id } of findResultFiles(output_result ?? {})) {
      await session.client.call(routes.fileDetails, { params: { file_id } })
    }
    return task
  } catch (error) {
    // Without its record or its files, the result is of no use.
    if (error instanceof MediaError && (error.code === 6004 || error.code === 6005)) return undefined
    throw error
  }
}
