import type { ServerEventBus } from '@modelcontextprotocol/server'
import { selectTools, type ToolSelection, type ToolFilter } from './offer.ts'
import { loadPrompts, type PromptFile } from './prompts.ts'
import { taskUri } from './resources.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { allTools } from './tools/all-tools.ts'

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
