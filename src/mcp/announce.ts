import {
  ProtocolError,
  ProtocolErrorCode,
  type McpRequestContext,
  type McpServer,
} from '@modelcontextprotocol/server'
import { taskUri } from './resources.ts'
import type { McpContext } from './studio.ts'

/** More than an agent follows at a time. */
const maxSubscriptions = 1000

/** Tells the client of a lasting connection what changes, until the returned function is called. */
export function notifyOfChanges(
  mcp: McpServer,
  { session, followTasks, report }: McpContext,
  { era }: Pick<McpRequestContext, 'era'>,
): () => void {
  const { server } = mcp
  // Modern clients subscribe through subscriptions/listen, where the SDK keeps the set.
  const subscribed = era === 'legacy' ? handleSubscriptions(mcp, followTasks) : undefined
  const taskChanged = (taskId: string | null): void => {
    // An instance that only answered a probe is no longer connected.
    if (!mcp.isConnected()) return
    const known = subscribed ?? [...session.tasks.entries()].map(([id]) => taskUri(id))
    const changed = taskId === null ? [...known] : [taskUri(taskId)]
    for (const uri of changed.filter((each) => subscribed?.has(each) ?? true)) {
      server.sendResourceUpdated({ uri }).catch(report)
    }
  }
  const resourcesChanged = (): void => {
    if (mcp.isConnected()) server.sendResourceListChanged().catch(report)
  }
  session.events.on('taskChanged', taskChanged).on('resourcesChanged', resourcesChanged)
  return () => void session.events.off('taskChanged', taskChanged).off('resourcesChanged', resourcesChanged)
}

function handleSubscriptions({ server }: McpServer, followTasks: () => void): ReadonlySet<string> {
  const subscribed = new Set<string>()
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (subscribed.size >= maxSubscriptions && !subscribed.has(params.uri)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There are ${maxSubscriptions} subscriptions: unsubscribe from others first`,
      )
    }
    subscribed.add(params.uri)
    followTasks()
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  return subscribed
}
