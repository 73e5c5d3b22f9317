import {
  type McpRequestContext,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { loadPrompts, type PromptFile } from './prompts.ts'
import { taskUri } from './resources.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { allTools, selectTools, type ToolFilter, type ToolSelection } from './tool-selection.ts'

/** What servers of any number of clients share. */
export interface ServerSetup {
  readonly prompts: ReadonlyMap<string, PromptFile>
  /** Which tools agents see; left out, all. */
  readonly tools?: ToolFilter | undefined
  /** Takes what is nobody's answer: bugs and broken connections. stdout belongs to the protocol. */
  readonly report: (error: unknown) => void
}

/** How a catalog is made. */
export interface ServerSetupOptions extends Omit<ServerSetup, 'prompts'> {
  /** Folder of the prompt files. */
  readonly promptsFolder: string
}

/** Reads what is in files. */
export async function loadServerSetup({ promptsFolder, ...rest }: ServerSetupOptions): Promise<ServerSetup> {
  return { ...rest, prompts: await loadPrompts(promptsFolder) }
}

/** What the servers of one key share, whatever era and connection they serve. */
export interface McpContext extends AsyncDisposable {
  readonly session: Session
  readonly tools: ToolSelection
  readonly prompts: ReadonlyMap<string, PromptFile>
  readonly report: (error: unknown) => void
  /** From the first subscriber on, tells of every change of a task. */
  readonly followTasks: () => void
}

/** Opens a session and offers its tools; nothing is connected until the first call needs it. */
export function openMcpContext({ prompts, tools, report }: ServerSetup, options: SessionOptions): McpContext {
  const session = openSession(options)
  let following = false
  return {
    session,
    report,
    prompts,
    tools: selectTools(session.delivery.adaptTools(allTools(options.operations)), tools),
    followTasks() {
      if (following) return
      following = true
      session.feed.follow((task) => session.events.emit('taskChanged', task?.task_id ?? null))
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

/** What changes for subscribers, for the SDK to tell its `subscriptions/listen` streams. */
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
