import {
  type McpRequestContext,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { lazy } from '../platform/cache.ts'
import { loadPrompts, type PromptFile } from './prompts.ts'
import { taskUri } from './resource-uris.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { answerQuestionsTool } from './tools/answer-tool.ts'
import { allTools, selectTools, type ToolFilter, type ToolSelection } from './tool-selection.ts'

/** Settings that all servers of this process share. */
export interface ServerSetup {
  /** Folder of the prompt files. */
  readonly promptsFolder: string
  /** Tools that agents see; all if absent. */
  readonly tools?: ToolFilter | undefined
  /** Receives errors that belong to no response, such as bugs and broken connections. stdout is the protocol. */
  readonly report: (error: unknown) => void
}

/** State shared by the MCP servers of one API key, for all connections and protocol eras. */
export interface McpContext extends AsyncDisposable {
  readonly session: Session
  readonly tools: ToolSelection
  /** Prompts by name, read from their files on first use. */
  readonly prompts: () => Promise<ReadonlyMap<string, PromptFile>>
  readonly report: (error: unknown) => void
  /** Starts to emit `taskChanged` events, once the first client subscribes. */
  readonly followTasks: () => void
}

/** Opens a session and selects its tools. Connects to the service on the first call. */
export function openMcpContext(
  { promptsFolder, tools, report }: ServerSetup,
  options: SessionOptions,
): McpContext {
  const selected = selectTools(options.delivery.adaptTools(allTools(options.operations)), tools)
  const offersAnswers = selected.listed.some(({ name }) => name === answerQuestionsTool.definition.name)
  const session = openSession({ ...options, offersAnswers })
  let following = false
  return {
    session,
    report,
    prompts: lazy(() => loadPrompts(promptsFolder)),
    tools: selected,
    followTasks() {
      if (following) return
      following = true
      session.feed.follow((task) => session.events.emit('taskChanged', task?.task_id ?? null))
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

/** Publishes a session's changes to the SDK, which forwards them to its `subscriptions/listen` streams. */
export function sessionEventBus({ session, followTasks }: McpContext): ServerEventBus {
  const { events, tasks } = session
  return {
    publish: () => undefined,
    subscribe(listener) {
      followTasks()
      const taskChanged = (taskId: string | null): void => {
        const changed = taskId === null ? [...tasks.entries()].map(([id]) => id) : [taskId]
        for (const id of changed) listener({ kind: 'resource_updated', uri: taskUri(id) })
      }
      const resourcesChanged = (): void => listener({ kind: 'resources_list_changed' })
      events.on('taskChanged', taskChanged).on('resourcesChanged', resourcesChanged)
      return () => void events.off('taskChanged', taskChanged).off('resourcesChanged', resourcesChanged)
    },
  }
}

/** Resources that one client may subscribe to, far more than an agent follows at a time. */
const maxSubscriptions = 1000

/** Notifies the client of a persistent connection of changes until the returned function is called. */
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
        `Only ${maxSubscriptions} subscriptions are possible: unsubscribe from others first`,
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
