import type { OperationModule, Plan, RequestFile, RequestFiles } from '../contract/operation.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { runInThread } from '../threads/run-in-thread.ts'
import type { PlanJob } from './plan-thread.ts'

/** Total size of the text files of a request up to which its plan runs in this thread, bytes. */
const maxTextBytesAtOnce = 64 * 1024

/** A checked request with its files. */
export interface PlannedRequest {
  readonly input: Record<string, unknown>
  readonly files: RequestFiles
  readonly fileIds: readonly string[]
  /** Returns the bytes of a text file. */
  readonly readText: (fileId: string) => Promise<Uint8Array>
  readonly accountId: number
  /** Aborts when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined
}

/** One plan with large texts at a time: each takes a processor for up to seconds. */
const oneAtATime = limitPerAccount({ limit: 1, name: 'requests with large text files' })

/**
 * Plans a request. A plan that reads texts of more than 64 KiB runs in a thread, in turn for each account, as parsing
 * them would delay all other requests. Throws the errors of the plan, and 6032 if too many of an account wait.
 */
export async function planOperation(module: OperationModule, request: PlannedRequest): Promise<Plan> {
  const { input, files, fileIds, readText, accountId, signal } = request
  const all = fileIds.map((id) => toPlainFile(files.get(id)))
  const textBytes = all.reduce((sum, { kind, size }) => sum + (kind === 'text' ? size : 0), 0)
  if (module.textPlan === undefined || textBytes <= maxTextBytesAtOnce) {
    const { plan } = await module.plan()
    return await plan(input, files, readText)
  }
  const job: PlanJob = { module: module.textPlan.href, input, files: all }
  const thread = new URL('./plan-thread', import.meta.url)
  return await oneAtATime(
    accountId,
    () => runInThread<Plan, PlanJob, string>({ module: thread, job, signal }, readText),
    signal,
  )
}

/** The fields of a file that a plan reads. */
function toPlainFile({ file_id, name, size, kind, facts }: RequestFile): RequestFile {
  return { file_id, name, size, kind, facts }
}
