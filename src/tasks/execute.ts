import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { MediaError } from '../contract/errors.ts'
import { toListedError } from '../contract/operation.ts'
import { databaseFailure } from '../db/failure.ts'
import { NoUsableAnswer } from '../engines/language-model/language-model.ts'
import type { TaskRow } from '../db/schema.ts'
import type { StoredBytes } from '../files/store.ts'
import { removeUnreferencedContent } from '../files/content.ts'
import { insertFileRecord } from '../files/records.ts'
import { grantMaterials } from '../library/grants.ts'
import { findLinkedMaterials } from '../library/links.ts'
import { failpoint } from '../platform/failpoint.ts'
import { createFolder } from '../platform/folder.ts'
import { retry, waitInRealTime } from '../platform/retry.ts'
import type { AttemptResult, AttemptFile } from './worker-messages.ts'
import { logFailedAttempt } from './task-metrics.ts'
import { failTask, noteRecorder, progressRecorder, transitionTask } from './transition.ts'
import type { Service } from './service.ts'
import { type AttemptQuestions, openAttemptQuestions } from './questions.ts'
import { removeEndedSteps, stageInputs, stepsFolder } from './attempt-folders.ts'
import type { Workers } from './workers.ts'

/** Wait before each attempt after the first, ms. A task fails after the attempt that follows the last wait. */
export const defaultRetryDelaysMs = [1_000, 5_000] as const

/** Delay before the outcome of an attempt is written again after a failed write, ms. */
const writeRetryMs = 1_000

interface ExecutorResources {
  readonly workers: Workers
  /** Contains one folder per attempt. */
  readonly scratch: string
  /** Threads of one worker. */
  readonly threads: number
}

/**
 * Runs one attempt of a queued task: stages its files, runs it in a worker, stores the results and completes it.
 * A failed attempt requeues the task, or fails and refunds it. An abort requeues it without counting the attempt. A
 * task that is stopped meanwhile ends the attempt.
 */
export async function executeTask(
  service: Service,
  resources: ExecutorResources,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<void> {
  const queued = await service.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst()
  if (queued?.status !== 'queued') return
  using end = service.events.watchEnd(id)
  const task = await transitionTask(service, queued, {
    to: 'processing',
    set: { started_at: service.clock(), ...(queued.suspensions === 0 && { progress: 0 }) },
  })
  if (!task) return
  if (task.questions_open > 0) {
    await failTask(service, task, { error: unansweredError(service.questionTimeoutMs) })
    await removeEndedSteps(service, [task.id])
    return
  }
  const log = service.log.child({ task_id: task.id })
  const scratch = join(resources.scratch, task.id)
  const questions = openAttemptQuestions(service, task)
  const record = progressRecorder(service, task)
  let reached = 0
  try {
    await rm(scratch, { recursive: true, force: true })
    await createFolder(join(scratch, 'work'))
    await createFolder(stepsFolder(service, task))
    const finished = await runAttempt(service, resources, {
      task,
      scratch,
      questions,
      onProgress(percent) {
        reached = percent
        record(percent)
      },
      signal: AbortSignal.any([signal, end.signal]),
    })
    failpoint('execute.finished')
    end.signal.throwIfAborted()
    const writing = { task, signal: AbortSignal.any([signal, end.signal]) }
    if (finished) await completeTask(service, { ...writing, finished })
    else await writeWhenAvailable(service, { ...writing, write: () => questions.suspend(reached) })
  } catch (error) {
    if (end.signal.aborted) return
    const { aborted } = signal
    if (!aborted) logFailedAttempt(service, task, error)
    await retryUntilWritten(signal, log, () =>
      aborted ? requeueTask(service, task, service.clock()) : retryOrFail(service, task, error),
    )
  } finally {
    await rm(scratch, { recursive: true, force: true })
    await removeEndedSteps(service, [task.id])
  }
}

/** Retries `write` until it succeeds: a full disk must not leave a task in processing for ever. */
async function retryUntilWritten(
  signal: AbortSignal,
  log: Logger,
  write: () => Promise<unknown>,
): Promise<void> {
  const attempt = async (): Promise<void> => {
    try {
      await write()
    } catch (error) {
      log.error({ err: error }, 'the outcome of an attempt could not be written')
      // After an abort, the next start of the service requeues the task.
      if (!signal.aborted) throw error
    }
  }
  await retry(attempt, {
    delayAfter: () => writeRetryMs,
    // An abort ends the wait, not the last attempt after it.
    wait: (milliseconds) => waitInRealTime(milliseconds, signal).catch(() => undefined),
  })
}

interface AttemptOptions {
  readonly task: TaskRow
  readonly scratch: string
  readonly questions: AttemptQuestions
  /** Receives the progress, 0 to 100. */
  readonly onProgress: (percent: number) => void
  readonly signal: AbortSignal
}

/** Returns null if the attempt waits for answers of its agent. */
async function runAttempt(
  service: Service,
  resources: ExecutorResources,
  { task, scratch, questions, onProgress, signal }: AttemptOptions,
): Promise<AttemptResult | null> {
  const files = await stageInputs(service, task, join(scratch, 'inputs'))
  failpoint('execute.staged')
  const onNote = noteRecorder(service, task)
  return resources.workers.run(
    {
      taskId: task.id,
      operation: task.type,
      input: task.input,
      files,
      scratch: join(scratch, 'work'),
      steps: stepsFolder(service, task),
      threads: resources.threads,
      answersBy: task.answers_by,
    },
    { signal, onProgress, onNote, ask: questions.ask, find: (query) => findLinkedMaterials(service, query) },
  )
}

function unansweredError(timeoutMs: number): MediaError {
  return new MediaError(6402, `its questions were not answered within ${timeoutMs / 3_600_000} h`, {
    hint: 'Call the tool again, and answer its questions with answer_questions.',
  })
}

interface OutcomeOptions {
  readonly task: TaskRow
  /** Ends the wait for a database that is not available. */
  readonly signal: AbortSignal
}

/**
 * Writes the outcome of a successful attempt. Waits while the database is full, read-only or not reachable: running the
 * task again would repeat finished work.
 */
async function writeWhenAvailable<T>(
  service: Service,
  { task, signal, write }: OutcomeOptions & { readonly write: () => Promise<T> },
): Promise<T> {
  const log = service.log.child({ task_id: task.id })
  return await retry(write, {
    signal,
    delayAfter(error) {
      if (signal.aborted || !databaseFailure(error)) throw error
      log.error({ err: error }, 'the outcome of a successful attempt could not be recorded')
      return writeRetryMs
    },
  })
}

/** Stores the bytes of the results durably, then records, output and state in one transaction. */
async function completeTask(
  service: Service,
  { task, finished, signal }: OutcomeOptions & { readonly finished: AttemptResult },
): Promise<void> {
  const stored: StoredResult[] = []
  for (const kept of finished.files) stored.push({ ...kept, bytes: await service.files.adopt(kept.path) })
  // One order for all tasks, so that transactions that lock the same contents cannot deadlock.
  stored.sort((one, other) => (one.bytes.blake3 < other.bytes.blake3 ? -1 : 1))
  failpoint('execute.adopted')
  const { output, granted } = finished
  const write = () => recordCompletion(service, { task, output, stored, granted })
  const completed = await writeWhenAvailable(service, { task, signal, write })
  // The task was stopped meanwhile.
  if (!completed) for (const { bytes } of stored) await removeUnreferencedContent(service, bytes.blake3)
}

type StoredResult = AttemptFile & { readonly bytes: StoredBytes }

interface Completion {
  readonly task: TaskRow
  readonly output: AttemptResult['output']
  readonly stored: readonly StoredResult[]
  /** Materials of the library that the account receives. */
  readonly granted: readonly number[]
}

async function recordCompletion(
  service: Service,
  { task, output, stored, granted }: Completion,
): Promise<TaskRow | null> {
  return await transitionTask(service, task, {
    to: 'completed',
    set: { output: JSON.stringify(output), progress: 100 },
    write: async (trx) => {
      for (const { file_id, name, bytes } of stored) {
        const now = service.clock()
        await insertFileRecord(trx, service.files, {
          id: file_id,
          accountId: task.account_id,
          name,
          bytes,
          now,
        })
        await trx.insertInto('task_files').values({ task_id: task.id, file_id, role: 'output' }).execute()
      }
      await grantMaterials(trx, { accountId: task.account_id, ids: granted, now: service.clock() })
    },
  })
}

async function retryOrFail(service: Service, task: TaskRow, error: unknown): Promise<void> {
  const failure =
    error instanceof MediaError
      ? error
      : (databaseFailure(error) ?? new MediaError(6500, 'an internal error ended the task'))
  const attempts = task.attempts + 1
  const waitMs = service.retryDelaysMs[task.attempts]
  // The agent's answers are stored: another attempt would read the same.
  const isFinal = !failure.retryable || (task.answers_by === 'agent' && failure instanceof NoUsableAnswer)
  if (!isFinal && waitMs !== undefined) {
    await transitionTask(service, task, {
      to: 'queued',
      set: { ...afterAttempt(task, service.clock()), attempts },
      waitMs,
    })
    return
  }
  const module = service.operations.get(task.type)
  await failTask(service, task, {
    error: module ? toListedError(module.operation, failure) : failure,
    attempts,
  })
}

/**
 * Columns of a task that is to be attempted again. One that has waited for answers keeps its progress and counts the time
 * of the attempt, as its answers shorten the next one; others start from the beginning.
 */
function afterAttempt(
  { suspensions, worked_ms, started_at }: TaskRow,
  endedAt: number,
): Partial<Pick<TaskRow, 'started_at' | 'progress' | 'worked_ms'>> {
  if (suspensions === 0) return { started_at: null, progress: 0 }
  return { started_at: null, worked_ms: worked_ms + Math.max(0, endedAt - (started_at ?? endedAt)) }
}

/** Returns a task to the queue without counting the attempt, which ended at a time in ms. */
async function requeueTask(service: Service, task: TaskRow, endedAt: number): Promise<void> {
  await transitionTask(service, task, { to: 'queued', set: afterAttempt(task, endedAt) })
}

/**
 * Requeues the tasks that an earlier process of the service left in processing, without counting the attempt. It worked at
 * least until the last change of their rows.
 */
export async function requeueInterrupted(service: Service): Promise<void> {
  const rows = await service.db.selectFrom('tasks').selectAll().where('status', '=', 'processing').execute()
  for (const row of rows) await requeueTask(service, row, row.updated_at)
}
