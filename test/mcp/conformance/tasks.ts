import { randomUUID } from 'node:crypto'
import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server'
import {
  supportsTasks,
  requireTaskSupport,
  toTaskResult,
  type DetailedTask,
  type TaskSource,
} from '../../../src/mcp/task-extension.ts'
import { elicitedValue } from './multi-round-tools.ts'
import { textResult, type FixtureCall, type FixtureTool } from './tools.ts'

interface FixtureTask {
  readonly head: Pick<DetailedTask, 'taskId' | 'createdAt' | 'ttlMs' | 'pollIntervalMs'>
  /** End, ms since 1970; null while the task waits for input. */
  endsAt: number | null
  cancelled: boolean
  inputRequests: Record<string, object>
  readonly createOutcome: () => { result: CallToolResult } | { error: { code: number; message: string } }
}

/** In-memory tasks of the suite. */
export class FixtureTasks implements TaskSource {
  readonly #tasks = new Map<string, FixtureTask>()

  /** Starts a task. `inputRequests`: requests that it waits for. */
  start(
    seconds: number,
    createOutcome: FixtureTask['createOutcome'],
    inputRequests: FixtureTask['inputRequests'] = {},
  ): DetailedTask {
    const now = Date.now()
    const head = {
      taskId: randomUUID(),
      createdAt: new Date(now).toISOString(),
      ttlMs: 60_000,
      pollIntervalMs: 100,
    }
    const waitsForInput = Object.keys(inputRequests).length > 0
    const task: FixtureTask = {
      head,
      endsAt: waitsForInput ? null : now + seconds * 1000,
      cancelled: false,
      inputRequests,
      createOutcome,
    }
    this.#tasks.set(head.taskId, task)
    return describe(task)
  }

  async get(taskId: string): Promise<DetailedTask> {
    return describe(this.#find(taskId))
  }

  async update(taskId: string, responses: Readonly<Record<string, unknown>>): Promise<void> {
    const task = this.#find(taskId)
    task.inputRequests = Object.fromEntries(
      Object.entries(task.inputRequests).filter(([key]) => !Object.hasOwn(responses, key)),
    )
    if (Object.keys(task.inputRequests).length === 0) task.endsAt ??= Date.now()
  }

  async cancel(taskId: string): Promise<void> {
    const task = this.#find(taskId)
    if (describe(task).status === 'working' || task.endsAt === null) task.cancelled = true
  }

  #find(taskId: string): FixtureTask {
    const task = this.#tasks.get(taskId)
    if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId}`)
    return task
  }
}

function describe({ head, endsAt, cancelled, inputRequests, createOutcome }: FixtureTask): DetailedTask {
  const now = { ...head, lastUpdatedAt: new Date().toISOString() }
  if (cancelled) return { ...now, status: 'cancelled' }
  if (endsAt === null) return { ...now, status: 'input_required', inputRequests }
  if (endsAt > Date.now()) return { ...now, status: 'working' }
  const end = createOutcome()
  return 'result' in end ? { ...now, status: 'completed', ...end } : { ...now, status: 'failed', ...end }
}

const confirm = (message: string) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
  },
})

/** Tools with which the suite tests the Tasks extension. */
export function taskTools(tasks: FixtureTasks): Readonly<Record<string, FixtureTool>> {
  const takesTasks = ({ era, context }: FixtureCall) => era === 'modern' && supportsTasks(context.mcpReq)
  const failing = () => ({ result: { isError: true, ...textResult('The job failed') } })
  return {
    greet: {
      description: 'Greets immediately',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
      run: ({ args }) => textResult(`Hello, ${String(args['name'])}!`),
    },
    slow_compute: {
      description: 'Computes for some seconds',
      inputSchema: { type: 'object', properties: { seconds: { type: 'number' }, label: { type: 'string' } } },
      run(call) {
        const done = textResult(`Computed ${String(call.args['label'])}`)
        if (!takesTasks(call)) return done
        return toTaskResult(tasks.start(Number(call.args['seconds']), () => ({ result: done })))
      },
    },
    failing_job: {
      description: 'Fails; available only as a task',
      run({ context }) {
        requireTaskSupport(context.mcpReq)
        return toTaskResult(tasks.start(0, failing))
      },
    },
    protocol_error_job: {
      description: 'Ends with a protocol error',
      run: () => toTaskResult(tasks.start(0, () => ({ error: { code: -32_603, message: 'The job broke' } }))),
    },
    confirm_delete: {
      description: 'Asks while it works',
      inputSchema: { type: 'object', properties: { filename: { type: 'string' } } },
      run: ({ args }) =>
        toTaskResult(
          tasks.start(0, () => ({ result: textResult('Deleted') }), {
            [randomUUID()]: confirm(`Delete ${String(args['filename'])}?`),
          }),
        ),
    },
    multi_input: {
      description: 'Asks two things while it works',
      run: () =>
        toTaskResult(
          tasks.start(0, () => ({ result: textResult('Both said') }), {
            [randomUUID()]: confirm('First?'),
            [randomUUID()]: confirm('Second?'),
          }),
        ),
    },
    test_tool_with_task: {
      description: 'Asks, then works',
      run({ context }) {
        const name = elicitedValue(context, 'user_name', 'name')
        if (name !== undefined)
          return toTaskResult(tasks.start(0, () => ({ result: textResult(`Hello, ${name}!`) })))
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const
        return inputRequired({
          inputRequests: { user_name: inputRequired.elicit({ message: 'Who are you?', requestedSchema }) },
        })
      },
    },
  }
}
