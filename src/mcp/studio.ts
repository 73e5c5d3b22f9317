import type { ServerEventBus } from '@modelcontextprotocol/server'
import { offerTools, type Offer, type ToolChoice } from './offer.ts'
import { loadPrompts, type PromptFile } from './prompts.ts'
import { taskUri } from './resources.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { allTools } from './tools/all-tools.ts'

/** What servers of any number of clients share. */
export interface Catalog {
  readonly prompts: ReadonlyMap<string, PromptFile>
  /** Which tools agents see; left out, all. */
  readonly tools?: ToolChoice | undefined
  /** Takes what is nobody's answer: bugs and broken connections. stdout belongs to the protocol. */
  readonly report: (error: unknown) => void
}

/** How a catalog is made. */
export interface CatalogOptions extends Omit<Catalog, 'prompts'> {
  /** Folder of the prompt files. */
  readonly promptsFolder: string
}

/** Reads what is in files. */
export async function openCatalog({ promptsFolder, ...rest }: CatalogOptions): Promise<Catalog> {
  return { ...rest, prompts: await loadPrompts(promptsFolder) }
}

/** What the servers of one key share, whatever era and connection they serve. */
export interface Studio extends AsyncDisposable {
  readonly session: Session
  readonly tools: Offer
  readonly prompts: ReadonlyMap<string, PromptFile>
  readonly report: (error: unknown) => void
  /** From the first subscriber on, tells of every change of a task. */
  readonly followTasks: () => void
}

/** Opens a session and offers its tools; nothing is connected until the first call needs it. */
export function openStudio({ prompts, tools, report }: Catalog, options: SessionOptions): Studio {
  const session = openSession(options)
  let following = false
  return {
    session,
    report,
    prompts,
    tools: offerTools(session.place.tools(allTools(options.operations)), tools),
    followTasks() {
      if (following) return
      following = true
      session.feed.follow((task) => session.events.emit('taskChanged', task?.task_id ?? null))
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

/** What changes for subscribers, for the SDK to tell its `subscriptions/listen` streams. */
export function changesOf({ session, followTasks }: Studio): ServerEventBus {
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
