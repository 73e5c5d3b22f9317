import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { routes } from '../../contract/routes.ts'
import { describeError } from '../reply.ts'
import { defineTool } from '../tool.ts'

/** Reports what is ready, what is missing, and which folders may be used. */
export const serviceStatusTool = defineTool(
  {
    name: 'service_status',
    title: 'Service status',
    description:
      'Reports what is ready, what is missing and the command that installs it; credits, prices, limits, and the ' +
      'folders that may be read and written.',
    input: z.object({}),
    example: {},
    errors: [],
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, _args, call) => {
    const fields = { ...(await session.delivery.statusFields()), https_addresses_taken: session.allowUrls }
    try {
      const service = await session.client.call(routes.capabilities, { signal: call.signal })
      return { data: { version: session.version, ...fields, reachable: true, service } }
    } catch (error) {
      // If the service is unreachable, the folders and the reason help most.
      if (!(error instanceof MediaError)) throw error
      return { data: { version: session.version, ...fields, reachable: false, error: describeError(error) } }
    }
  },
)
