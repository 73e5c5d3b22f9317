import { flushCompileCache } from 'node:module'
import { isAbsolute, relative, resolve } from 'node:path'
import { diskFullError, isErrorCode, MediaError } from '../contract/errors.ts'
import { newId } from '../contract/fields.ts'
import { type AskTaskQuestions, type QuestionState, SuspendedError } from '../contract/questions.ts'
import type { LibraryFindResult, MaterialLinks } from '../contract/library.ts'
import {
  type LibraryAccess,
  type OperationModule,
  requestFiles,
  type RunContext,
} from '../contract/operation.ts'
import { downloadUrl } from '../contract/routes.ts'
import { NoUsableAnswer } from '../engines/language-model/language-model.ts'
import { useFfmpeg } from '../engines/ffmpeg/locate.ts'
import { observeFirstDownloads } from '../engines/packs/first-download.ts'
import { shareRateLimiter, type Acquire } from '../engines/services/rate-limiter.ts'
import { requireAll } from '../engines/readiness.ts'
import { errorCode } from '../platform/system-error.ts'
import type {
  Attempt,
  AttemptFailure,
  AttemptResult,
  FromWorker,
  AttemptFile,
  ToWorker,
} from './worker-messages.ts'

/**
 * Runs a worker child: executes the attempts that its supervisor sends, one at a time. Ends with the supervisor, and
 * kills whatever it started.
 */
export function runWorker(modules: readonly OperationModule[]): void {
  const operations = new Map(modules.map((module) => [module.operation.name, module]))
  let abort = new AbortController()
  process.on('disconnect', killGroup)
  // A terminal's interrupt reaches the whole process group; the supervisor decides what to do.
  process.on('SIGINT', () => undefined)
  shareRateLimiter(acquireFromSupervisor())
  const askTask = askSupervisor()
  const findMaterials = findThroughSupervisor()
  observeFirstDownloads((note) => sendToSupervisor({ type: 'note', note }))
  process.on('message', (message: ToWorker) => {
    if (message.type === 'abort') abort.abort()
    if (message.type !== 'run') return
    const current = new AbortController()
    abort = current
    if (message.ffmpeg) useFfmpeg(message.ffmpeg)
    const { attempt } = message
    const attempted = {
      ...{ attempt, findMaterials },
      askTask: attempt.answersBy === 'agent' ? askTask : undefined,
    }
    const report = (outcome: FromWorker): void => {
      // What it left running must not reach into the next attempt of this process.
      current.abort(new Error('the attempt has ended'))
      sendToSupervisor(outcome)
    }
    void runAttemptHere(operations, attempted, current.signal).then(
      (result) => report({ type: 'finished', result }),
      (error: unknown) =>
        report(
          error instanceof SuspendedError
            ? { type: 'suspended' }
            : { type: 'failed', failure: toAttemptFailure(error) },
        ),
    )
  })
  sendToSupervisor({ type: 'ready' })
}

/** Asks the agent of a task through the supervisor, which alone opens the database. */
function askSupervisor(): AskTaskQuestions {
  let lastNumber = 0
  const waiting = new Map<number, (states: readonly QuestionState[]) => void>()
  process.on('message', (message: ToWorker) => {
    if (message.type !== 'answers') return
    waiting.get(message.number)?.(message.states)
    waiting.delete(message.number)
  })
  return (questions) =>
    new Promise((settle) => {
      const number = lastNumber++
      waiting.set(number, settle)
      sendToSupervisor({ type: 'ask', number, questions })
    })
}

/** Searches the library through the supervisor. */
function findThroughSupervisor(): LibraryAccess['find'] {
  let lastNumber = 0
  const waiting = new Map<number, PromiseWithResolvers<LibraryFindResult<MaterialLinks>>>()
  process.on('message', (message: ToWorker) => {
    if (message.type !== 'found') return
    const { number, result } = message
    if ('code' in result) waiting.get(number)?.reject(fromAttemptFailure(result))
    else waiting.get(number)?.resolve(result)
    waiting.delete(number)
  })
  return async (query) => {
    const number = lastNumber++
    const found = Promise.withResolvers<LibraryFindResult<MaterialLinks>>()
    waiting.set(number, found)
    sendToSupervisor({ type: 'find', number, query })
    return await found.promise
  }
}

/** Acquires permits from the supervisor, which limits the rate over all its workers. */
function acquireFromSupervisor(): Acquire {
  let lastNumber = 0
  const waiting = new Map<number, () => void>()
  process.on('message', (message: ToWorker) => {
    if (message.type !== 'permit') return
    waiting.get(message.number)?.()
  })
  return async (service, signal) => {
    signal.throwIfAborted()
    const number = lastNumber++
    const permit = Promise.withResolvers<void>()
    const abandon = (): void => permit.reject(signal.reason)
    waiting.set(number, permit.resolve)
    signal.addEventListener('abort', abandon)
    sendToSupervisor({ type: 'acquire', service, number })
    try {
      await permit.promise
    } finally {
      signal.removeEventListener('abort', abandon)
      waiting.delete(number)
    }
  }
}

function sendToSupervisor(message: FromWorker): void {
  process.send?.(message)
}

/** Kills this process and all it started. The supervisor made it leader of a process group; Windows has none. */
function killGroup(): never {
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL')
  process.exit(1)
}

async function runAttemptHere(
  operations: ReadonlyMap<string, OperationModule>,
  {
    attempt,
    askTask,
    findMaterials,
  }: {
    readonly attempt: Attempt
    readonly askTask: AskTaskQuestions | undefined
    readonly findMaterials: LibraryAccess['find']
  },
  signal: AbortSignal,
): Promise<AttemptResult> {
  const module = operations.get(attempt.operation)
  if (!module) {
    throw new MediaError(6401, `this worker has no operation ${attempt.operation}`, {
      hint: 'Restart the service so that its workers have its version, then create the task again.',
    })
  }
  const [{ requirements }, { run }] = await Promise.all([module.requirements(), module.run()])
  const input = module.operation.input.parse(JSON.parse(attempt.input))
  const kept: AttemptFile[] = []
  const granted: number[] = []
  const ask: AskTaskQuestions | undefined =
    askTask &&
    (async (questions) => {
      signal.throwIfAborted()
      return await askTask(questions)
    })
  const library = { find: findMaterials, grant: (ids: readonly number[]) => void granted.push(...ids) }
  const context = { ...createRunContext(attempt, signal, kept), askTask: ask, library }
  // Creation checked them earlier, perhaps on another machine.
  await requireAll(requirements(input, context.files), { answersBy: attempt.answersBy })
  process.chdir(attempt.scratch)
  try {
    const output = await run(input, context)
    return { output: module.operation.output.parse(output), files: kept, granted }
  } finally {
    // Some systems cannot remove a folder that is the current folder of a process.
    process.chdir('/')
    // Workers are killed at their end, which would lose the compile cache.
    flushCompileCache()
  }
}

function createRunContext(
  attempt: Attempt,
  signal: AbortSignal,
  kept: AttemptFile[],
): Omit<RunContext, 'askTask' | 'library'> {
  let reached = 0
  return {
    files: requestFiles(new Map(attempt.files.map((file) => [file.file_id, file]))),
    taskId: attempt.taskId,
    scratch: attempt.scratch,
    steps: attempt.steps,
    threads: attempt.threads,
    signal,
    progress(percent) {
      const whole = Math.floor(Math.min(percent, 100))
      if (whole <= reached || signal.aborted) return
      reached = whole
      sendToSupervisor({ type: 'progress', percent: whole })
    },
    keep({ path, name }) {
      const absolute = resolve(attempt.scratch, path)
      const inside = relative(attempt.scratch, absolute)
      if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) {
        throw new Error(`a result must be inside the attempt's folder: ${path}`)
      }
      const file_id = newId()
      kept.push({ file_id, path: absolute, name })
      return { file_id, download_url: downloadUrl(file_id) }
    },
  }
}

/** Converts an error to a message. */
export function toAttemptFailure(thrown: unknown): AttemptFailure {
  const error = thrown instanceof MediaError ? thrown : unexpected(thrown)
  const { code, message, hint, retryable, cause } = error
  const isUnanswered = error instanceof NoUsableAnswer
  return {
    code,
    message,
    hint,
    retryable,
    isUnanswered,
    ...(cause !== undefined && { bug: describe(cause) }),
  }
}

function unexpected(cause: unknown): MediaError {
  if (['ENOSPC', 'EDQUOT'].includes(errorCode(cause) ?? '')) return diskFullError(cause)
  return new MediaError(6500, 'an internal error ended this attempt', { cause })
}

/** Most causes of a failure that the log contains. */
const maxCausesLogged = 5

/** Returns the stack of an error and of what caused it. */
function describe(error: unknown, room = maxCausesLogged): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack ?? error.message
  return error.cause === undefined || room <= 1 ? own : `${own}\ncaused by ${describe(error.cause, room - 1)}`
}

/** Converts a failure message back into an error. */
export function fromAttemptFailure(failure: AttemptFailure): MediaError {
  const { code, message, hint, retryable, isUnanswered, bug } = failure
  const options = { hint, retryable, cause: bug === undefined ? undefined : workerError(bug) }
  if (isUnanswered === true) return new NoUsableAnswer(message, options)
  return new MediaError(isErrorCode(code) ? code : 6500, message, options)
}

/** An error with the stack of the worker's process, for the log. */
function workerError(stack: string): Error {
  return Object.assign(new Error(stack.split('\n', 1)[0]), { stack })
}
