import * as z from 'zod'
import { queryTask } from '../../client/tasks.ts'
import { MediaError } from '../../contract/errors.ts'
import { id } from '../../contract/id.ts'
import { routes } from '../../contract/routes.ts'
import { wasStoppedOnRequest } from '../ended-on-request.ts'
import { defineTool } from '../tool.ts'
import { lookUpTask } from './task-tools.ts'

/** Cancels a task that waits; with force, ends one that is worked on. */
export const cancelTaskTool = defineTool(
  {
    name: 'cancel_task',
    title: 'Cancel a task',
    description:
      'Cancels a task that is still queued and returns its credits. A task that is being worked on goes on, ' +
      'unless force is true.',
    input: z.object({
      task_id: id,
      force: z
        .boolean()
        .default(false)
        .describe('Also ends a task that is being worked on; its work is lost, its credits are returned'),
    }),
    example: { task_id: '1947528019203325952', force: true },
    errors: [6013, ...routes.cancelTask.errors, ...routes.stopTask.errors],
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async (session, { task_id, force }, call) => {
    const route = force ? routes.stopTask : routes.cancelTask
    const state = await session.client.call(route, { params: { task_id }, signal: call.signal }).then(
      (ended) => (ended === '' ? 'cancelled' : ended.status),
      async (error: unknown) => {
        if (!(error instanceof MediaError && error.code === 6007)) throw error
        // A call that is repeated, as after a lost answer, finds its own work done.
        const view = await queryTask(session.client, await lookUpTask(session, task_id))
        if (!wasStoppedOnRequest(view)) throw error
        return view.status
      },
    )
    return {
      data: { task_id, status: state, next_step: 'The credits were returned. Nothing more to do.' },
    }
  },
)
