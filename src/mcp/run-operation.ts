import { asksQuestions, createTask, fetchQuote, waitForTask } from '../client/tasks.ts'
import { describeCredits } from '../contract/credits.ts'
import { toListedError, type Operation } from '../contract/operation.ts'
import { isTerminal } from '../contract/task.ts'
import { neededFiles, toContractRequest, withCallNames } from './agent-request.ts'
import type { Job, JobContext } from './background-jobs.ts'
import { findFinishedTask, hashRequest } from './finished-task.ts'
import { plainArguments } from './plain-arguments.ts'
import { type PreparedInput, prepareInput } from './prepare-input.ts'
import type { Consent, ToolReply } from './reply.ts'
import type { CallAssumptions, KnownTask, PricedTask, Session, SubmissionResult } from './session.ts'
import { describeState, findQuestions, knownTaskReply } from './known-task-snapshot.ts'
import { unconfirmedSnapshot, uploadSnapshot } from './snapshot.ts'
import { progressShares, type ToolCall } from './tool.ts'
import { uploadFiles } from './upload-files.ts'
import { extractSounds } from './video-sound.ts'
import { checkSaveTo } from './save-files.ts'

/** A call of an operation's tool: the operation's own arguments, and how the call waits and saves. */
export interface OperationRequest {
  readonly operation: Operation
  /** Normalized, but not validated yet. */
  readonly args: Record<string, unknown>
  /** What was read differently from how the agent wrote it. */
  readonly assumed: readonly string[]
  /** What was derived from the arguments, the same for equal calls. */
  readonly derived?: readonly string[]
  /** Replaces the contract's names of fields in an error by those of the call. */
  readonly restoreNames?: (text: string) => string
  readonly options: {
    readonly wait_seconds: number
    readonly save_to?: string | undefined
    /** Creates a task even if an equal one is unfinished. */
    readonly force_new: boolean
  }
}

/**
 * Runs an operation for one tool call: prepares the arguments, uploads the files, quotes the price and asks for
 * consent, creates the task, follows it and delivers its files. Upload, quote and creation form a background job,
 * so that they finish even when the call's time ends first.
 */
export async function runOperation(
  session: Session,
  request: OperationRequest,
  call: ToolCall,
): Promise<ToolReply> {
  // The task or price of an equal call states how that call's arguments were read.
  const assumedOf = ({ derived = [] }: CallAssumptions): readonly string[] => [...request.assumed, ...derived]
  for (;;) {
    const submission = submitOrJoin(session, { request, consent: call.consent })
    const { job, isJoined } = await withNamesOf(request, submission)
    const result = await job.result(call.signal, (percent) =>
      call.progress((percent / 100) * progressShares.uploaded, `uploading ${percent} %`),
    )
    if (result && 'priced' in result) {
      // The joined submission stopped at a price that only this call's user has agreed to: submit again.
      if (hasAgreed(call.consent, result.priced.credits)) continue
      return requestPriceConsent(
        session,
        { ...result.priced, assumed: assumedOf(result.priced) },
        call.consent,
      )
    }
    const { wait_seconds, save_to } = request.options
    if (!result || !('task' in result)) {
      return { data: { ...uploadSnapshot(job, { saveTo: save_to, isJoined, assumed: request.assumed }) } }
    }
    const task = {
      ...result.task,
      save_to: save_to ?? result.task.save_to,
      assumed: assumedOf(result.task),
    }
    const following = { ...task, waitSeconds: wait_seconds, isJoined: result.isJoined || isJoined }
    return await followTask(session, following, call)
  }
}

/** The result of work for a call. Its errors name the fields that the call used. */
async function withNamesOf<T>(request: OperationRequest, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw withCallNames(error, request)
  })
}

/** A call and its user's answers. */
interface OperationCall {
  readonly request: OperationRequest
  readonly consent: Consent
}

/** A call with its validated arguments and open files. */
interface PreparedCall extends OperationCall {
  readonly prepared: PreparedInput
}

/** Joins the unfinished submission of an equal call, or starts one. */
async function submitOrJoin(
  session: Session,
  call: OperationCall,
): Promise<{ readonly job: Job<SubmissionResult>; readonly isJoined: boolean }> {
  const { request } = call
  if (neededFiles(request).length > 0) return submitConverted(session, call)
  const converted = await convert(session, call, idleContext)
  const prepared = await prepare(session, converted)
  const key = request.options.force_new ? undefined : prepared.fingerprint
  const running = key === undefined ? undefined : session.submissions.running(key)
  if (!running) {
    const work = (context: JobContext) =>
      withNamesOf(request, uploadAndCreate(session, { ...converted, prepared }, context))
    return { job: session.submissions.start(work, key), isJoined: false }
  }
  await prepared.files[Symbol.asyncDispose]()
  await checkSaveTo(session, request.options.save_to)
  return { job: running, isJoined: true }
}

/** Of conversions that need no files: nothing is uploaded. */
const idleContext: JobContext = { signal: new AbortController().signal, progress: () => undefined }

/** Submits a call whose conversion needs its files: their upload may outlast the call, so it is part of the job. */
async function submitConverted(
  session: Session,
  call: OperationCall,
): Promise<{ readonly job: Job<SubmissionResult>; readonly isJoined: boolean }> {
  const { operation, args, options } = call.request
  const key = options.force_new ? undefined : JSON.stringify([operation.name, args])
  const running = key === undefined ? undefined : session.submissions.running(key)
  await checkSaveTo(session, options.save_to)
  if (running) return { job: running, isJoined: true }
  const work = async (context: JobContext): Promise<SubmissionResult> => {
    const converted = await convert(session, call, context)
    const prepared = await prepare(session, converted)
    return await uploadAndCreate(session, { ...converted, prepared }, context)
  }
  const named = (context: JobContext) => withNamesOf(call.request, work(context))
  return { job: session.submissions.start(named, key), isJoined: false }
}

/** Converts the arguments to the contract's. Errors use the codes of the operation's error table. */
async function convert(session: Session, call: OperationCall, context: JobContext): Promise<OperationCall> {
  const { request } = call
  const { request: args, assumed } = await toContractRequest(session, request, context).catch(
    (error: unknown) => {
      throw toListedError(request.operation, error)
    },
  )
  const { agentForm } = request.operation
  const restoreNames = (text: string): string => agentForm?.restoreNames?.(text, request.args) ?? text
  return { ...call, request: { ...request, args, derived: assumed, restoreNames } }
}

/** Validates the arguments and opens the local files. Errors use the codes of the operation's error table. */
async function prepare(session: Session, { request }: OperationCall): Promise<PreparedInput> {
  return prepareInput(session, request.operation, request.args).catch((error: unknown) => {
    throw toListedError(request.operation, error)
  })
}

/** The background job: uploads the files, quotes the price, then creates the task if nobody needs to be asked. */
async function uploadAndCreate(
  session: Session,
  { request, prepared, consent }: PreparedCall,
  context: JobContext,
): Promise<SubmissionResult> {
  await using files = prepared.files
  const { operation, options } = request
  await checkSaveTo(session, options.save_to)
  const records = await uploadFiles(session, files, context)
  const fileIds = new Map([...records].map(([path, { file_id }]) => [path, file_id]))
  const uploaded = { operation, body: prepared.body(fileIds) }
  const { body, assumed } = await extractSounds(session, uploaded, context.signal).catch((error: unknown) => {
    throw toListedError(operation, error)
  })
  const derived = [...(request.derived ?? []), ...assumed]
  const assumptions = { derived, assumed: [...request.assumed, ...derived] }
  const requestKey = hashRequest(operation, body)
  const finished = options.force_new ? undefined : await findFinishedTask(session, operation, requestKey)
  if (finished) {
    const save_to = options.save_to ?? finished.save_to
    return { task: { ...finished, ...assumptions, save_to }, isJoined: true }
  }
  const newTask = {
    task_type: operation.name,
    body,
    join: !options.force_new,
    synchronous: operation.synchronous,
    offersAnswers: session.offersAnswers,
  }
  if (session.confirmAbove !== undefined) {
    const credits = await fetchQuote(session.client, newTask, context.signal)
    const mayCreate = credits <= session.confirmAbove || hasAgreed(consent, credits)
    if (!mayCreate) return { priced: { task_type: operation.name, credits, ...assumptions } }
  }
  const created = await createTask(session.client, newTask, context.signal)
  const { task_id, task_type } = created
  const task: KnownTask = {
    task_id,
    task_type,
    // The call that created a joined task may have named another folder.
    save_to: options.save_to ?? session.tasks.get(task_id)?.save_to,
    ...assumptions,
    ended: isTerminal(created.status) ? created : undefined,
    input: plainArguments(request.args),
    restoreNames: request.restoreNames,
    inputFiles: [...files.byPath].map(([path, { name }]) => ({
      name,
      storedName: records.get(path)?.original_name ?? name,
    })),
  }
  session.tasks.remember(task_id, task)
  session.results.remember(requestKey, task_id)
  session.events.emit('resourcesChanged')
  return { task, isJoined: created.joined }
}

/** The key contains the price: consent to one price does not cover another. */
function priceQuestionKey(credits: number): string {
  return `cost_${credits}_credits`
}

function hasAgreed(consent: Consent, credits: number): boolean {
  return consent.answerTo(priceQuestionKey(credits)) === true
}

/** Asks the user to agree to the price. Explains what to do if the user declined or the client cannot ask. */
function requestPriceConsent({ confirmAbove }: Session, priced: PricedTask, consent: Consent): ToolReply {
  const { task_type, credits, assumed = [] } = priced
  const price = describeCredits(credits)
  const key = priceQuestionKey(credits)
  const state = 'The files are uploaded; no task was created and nothing was charged.'
  if (consent.answerTo(key) !== undefined) {
    const next_step = `The user declined ${price}. ${state} Ask what to change before you call again.`
    return { data: { ...unconfirmedSnapshot(priced, next_step), status: 'declined' } }
  }
  const limit = `${price}, and above ${describeCredits(confirmAbove ?? 0)} the user must agree first`
  const next_step =
    `It costs ${limit}, which this client cannot ask for. ${state} Request less, such as a shorter range, or have ` +
    'the user raise confirm_above_credits (REELWRIGHT_CONFIRM_ABOVE_CREDITS) and restart this server.'
  return {
    data: { ...unconfirmedSnapshot(priced, next_step) },
    ...(consent.canAsk && {
      question: { key, text: [...assumed, `${task_type} costs ${limit}. Continue?`].join(' ') },
    }),
  }
}

/** A task to follow for one call. */
type FollowedTask = KnownTask & { readonly waitSeconds: number; readonly isJoined?: boolean }

/**
 * Waits for a task for `waitSeconds`, at most until the call ends or the task asks its agent. Delivers the files of a
 * completed one, or its next questions.
 */
export async function followTask(session: Session, task: FollowedTask, call: ToolCall): Promise<ToolReply> {
  const { view, batch } = await waitForEndOrQuestions(session, task, call)
  const isCompleted = view.status === 'completed'
  const delivery = isCompleted ? await session.delivery.deliver(session, { view, task }, call) : null
  if (isCompleted) session.results.report(view.task_id)
  const { isJoined } = task
  return await knownTaskReply(session, { view, task, delivery, batch, isJoined }, call.signal)
}

/** Most times that a task is followed further because another agent has answered its questions. */
const maxFurther = 3

async function waitForEndOrQuestions(session: Session, task: FollowedTask, call: ToolCall) {
  const { uploaded, worked } = progressShares
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(task.waitSeconds * 1000)])
  for (let further = 0; ; further += 1) {
    const view = await waitForTask(session.client, task, {
      signal,
      changes: session.feed,
      onChange: (changed) =>
        call.progress(uploaded + (changed.progress / 100) * (worked - uploaded), describeState(changed)),
    })
    const batch = await findQuestions(session, view, call.signal)
    // Questions that are not listed were answered meanwhile.
    const isStale = session.offersAnswers && asksQuestions(view) && !batch
    if (!isStale || further === maxFurther) return { view, batch }
  }
}
