import * as z from 'zod'
import { createTask } from '../../client/tasks.ts'
import { describePrice } from '../../contract/credits.ts'
import type { Operation } from '../../contract/operation.ts'
import { parseArguments, readArguments } from '../arguments.ts'
import { prepareInput, uploadFiles, type PreparedInput } from '../file-bridge.ts'
import { followTask, progressShares } from '../follow-task.ts'
import type { Reply } from '../reply.ts'
import { checkSaveTo } from '../save.ts'
import { publishInput } from '../schema.ts'
import type { KnownTask, Session, Uploaded } from '../session.ts'
import { snapshotSchema, uploadSnapshot } from '../snapshot.ts'
import type { Call, Tool } from '../tool.ts'
import { saveTo, waitSeconds } from './fields.ts'

const waiting = z.object({ wait_seconds: waitSeconds, save_to: saveTo })

/** The tool of an operation, from its contract: local paths in, a task, result files out. */
export function operationTool(operation: Operation): Tool {
  const input = operation.input.extend(waiting.shape)
  return {
    definition: {
      name: operation.name,
      title: operation.title,
      description: `${operation.description} Price: ${describePrice(operation.price)}.`,
      inputSchema: publishInput(input),
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
      const { wait_seconds, save_to, ...args } = readArguments(input, given)
      const wait = parseArguments(waiting, { wait_seconds, save_to })
      return run(session, { operation, args, wait }, call)
    },
  }
}

interface Order {
  readonly operation: Operation
  readonly args: Record<string, unknown>
  readonly wait: z.output<typeof waiting>
}

async function run(session: Session, { operation, args, wait }: Order, call: Call): Promise<Reply> {
  const prepared = await prepareInput(session, operation, args)
  const transfer = session.uploads.start((context) =>
    submit(session, { operation, prepared, save_to: wait.save_to }, context),
  )
  const uploaded = await transfer.within(call.signal, (percent) =>
    call.progress((percent / 100) * progressShares.uploaded, `uploading ${percent} %`),
  )
  if (!uploaded || !('task' in uploaded)) return { data: { ...uploadSnapshot(transfer, wait.save_to) } }
  const snapshot = await followTask(session, { ...uploaded.task, waitSeconds: wait.wait_seconds }, call)
  return { data: { ...snapshot } }
}

/** Uploads the files and creates the task; goes on when the call has ended. */
async function submit(
  session: Session,
  order: { operation: Operation; prepared: PreparedInput; save_to: string | undefined },
  context: Parameters<typeof uploadFiles>[2],
): Promise<Uploaded> {
  const { operation, prepared, save_to } = order
  await using files = prepared.files
  await checkSaveTo(session, save_to)
  const records = await uploadFiles(session, files, context)
  const ids = new Map([...records].map(([path, { file_id }]) => [path, file_id]))
  const created = await createTask(
    session.client,
    { task_type: operation.name, body: prepared.body(ids) },
    context.signal,
  )
  const task: KnownTask = { task_id: created.task_id, task_type: created.task_type, save_to }
  session.tasks.remember(task.task_id, task)
  session.events.emit('resourcesChanged')
  return { task }
}
