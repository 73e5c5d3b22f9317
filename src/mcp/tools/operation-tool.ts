import * as z from 'zod'
import { createTask, quoteTask } from '../../client/tasks.ts'
import { describePrice } from '../../contract/credits.ts'
import { asListed, type Operation } from '../../contract/operation.ts'
import { acceptedFileKinds, creationErrorCodes } from '../../contract/operation-errors.ts'
import { isTerminal } from '../../contract/task.ts'
import { followTask, priceQuestionKey, progressShares, requestPriceConsent } from '../run-operation.ts'
import { parseArguments, normalizeArguments } from '../arguments.ts'
import type { Consent, ToolReply } from '../reply.ts'
import { uploadFiles } from '../upload-files.ts'
import { prepareInput, type PreparedInput } from '../prepare-input.ts'
import { checkSaveTo } from '../workspace-delivery.ts'
import { forceNew, publishInputSchema, saveTo, type Tool, type ToolCall, waitSeconds } from '../tool.ts'
import type { KnownTask, Session, SubmissionResult } from '../session.ts'
import { snapshotSchema, uploadSnapshot } from '../snapshot.ts'
import { uploadErrors } from './file-tools.ts'

const waiting = z.object({ wait_seconds: waitSeconds, save_to: saveTo, force_new: forceNew })

/** The tool of an operation, from its contract: local paths in, a task, result files out. */
export function operationTool(operation: Operation): Tool {
  const input = operation.input.extend(waiting.shape)
  return {
    toolset: operation.toolset,
    example: operation.examples[0].input,
    // Documents alone ask for them.
    get errors() {
      return [
        ...(acceptedFileKinds(operation.input).size > 0 ? uploadErrors : []),
        ...creationErrorCodes(operation),
      ]
    },
    definition: {
      name: operation.name,
      title: operation.title,
      description: `${operation.description} Price: ${describePrice(operation.price)}.`,
      inputSchema: publishInputSchema(input),
      outputSchema: snapshotSchema,
      // Each call makes a new task, spends credits, and writes new files; it changes nothing that is there.
      annotations: {
        title: operation.title,
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    run(session, given, call) {
      const { wait_seconds, save_to, force_new, ...args } = normalizeArguments(input, given)
      const wait = parseArguments(waiting, { wait_seconds, save_to, force_new })
      return run(session, { operation, args, wait }, call)
    },
  }
}

interface Order {
  readonly operation: Operation
  readonly args: Record<string, unknown>
  readonly wait: z.output<typeof waiting>
}

async function run(session: Session, order: Order, call: ToolCall): Promise<ToolReply> {
  const { operation, args, wait } = order
  const { save_to, force_new } = wait
  // The service answers as the operation's table has it; what is refused before it is asked reads the same.
  const prepared = await prepareInput(session, operation, args).catch((error: unknown) => {
    throw asListed(operation, error)
  })
  const equal = force_new ? undefined : prepared.fingerprint
  const underWay = equal === undefined ? undefined : session.submissions.running(equal)
  const wish = { operation, prepared, save_to, consent: call.consent, join: !force_new }
  const transfer = underWay ?? session.submissions.start((context) => submit(session, wish, context), equal)
  if (underWay) {
    await prepared.files[Symbol.asyncDispose]()
    await checkSaveTo(session, save_to)
  }
  const uploaded = await transfer.within(call.signal, (percent) =>
    call.progress((percent / 100) * progressShares.uploaded, `uploading ${percent} %`),
  )
  if (uploaded && 'priced' in uploaded) {
    const isAgreed = call.consent.answerTo(priceQuestionKey(uploaded.priced.credits)) === true
    // The one it joined was begun by a call to whose price nobody had said yes.
    return isAgreed ? run(session, order, call) : requestPriceConsent(session, uploaded.priced, call.consent)
  }
  if (!uploaded || !('task' in uploaded)) {
    const snapshot = uploadSnapshot(transfer, { saveTo: save_to, isJoined: underWay !== undefined })
    return { data: { ...snapshot } }
  }
  const isJoined = uploaded.isJoined || underWay !== undefined
  const task = { ...uploaded.task, save_to: save_to ?? uploaded.task.save_to }
  return {
    data: { ...(await followTask(session, { ...task, waitSeconds: wait.wait_seconds, isJoined }, call)) },
  }
}

interface Wish {
  readonly operation: Operation
  readonly prepared: PreparedInput
  readonly save_to: string | undefined
  readonly consent: Consent
  /** Whether an equal task that has not ended does as well. */
  readonly join: boolean
}

/** Uploads the files and creates the task, unless its price must be agreed to first; goes on when the call has ended. */
async function submit(
  session: Session,
  { operation, prepared, save_to, consent, join }: Wish,
  context: Parameters<typeof uploadFiles>[2],
): Promise<SubmissionResult> {
  await using files = prepared.files
  await checkSaveTo(session, save_to)
  const records = await uploadFiles(session, files, context)
  const ids = new Map([...records].map(([path, { file_id }]) => [path, file_id]))
  const { name: task_type, synchronous } = operation
  const wanted = { task_type, body: prepared.body(ids), join, synchronous }
  if (session.confirmAbove !== undefined) {
    const credits = await quoteTask(session.client, wanted, context.signal)
    const isAgreed = credits <= session.confirmAbove || consent.answerTo(priceQuestionKey(credits)) === true
    if (!isAgreed) return { priced: { task_type, credits } }
  }
  const created = await createTask(session.client, wanted, context.signal)
  const { task_id } = created
  // A task that is joined may have been asked for with a place of its own.
  const task: KnownTask = {
    task_id,
    task_type,
    save_to: save_to ?? session.tasks.get(task_id)?.save_to,
    ended: isTerminal(created.status) ? created : undefined,
  }
  session.tasks.remember(task_id, task)
  session.events.emit('resourcesChanged')
  return { task, isJoined: created.joined }
}
