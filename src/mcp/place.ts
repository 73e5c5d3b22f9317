import type { TaskView } from '../client/tasks.ts'
import type { PublishedSchema } from './schema.ts'
import type { KnownTask, Session } from './session.ts'
import type { DeliveryState } from './next-step.ts'
import type { ToolCall, Tool } from './tool.ts'
import type { Folders } from './workspace.ts'

/** A task that has been completed. */
export interface CompletedTask {
  readonly view: TaskView
  readonly task: KnownTask
}

/** Where the files of a session's client are: in folders of this machine, or elsewhere behind links. */
export interface FileDelivery {
  /** What clients are told of the server as a whole. */
  readonly instructions: string
  /** What prompts leave unsaid. */
  readonly promptNote?: string
  /** A published schema as it holds here: what a file field takes. */
  adaptSchema(published: PublishedSchema): PublishedSchema
  /** The tools as clients of this place see them. */
  adaptTools(all: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool>
  /** The folders that local paths are looked for in; throws 6016 where there are none. */
  folders(): Promise<Folders>
  /** Whether a local file has this name. */
  hasFile(name: string): Promise<boolean>
  /** Takes the folders that a client says it works in; left out where they say nothing. */
  readonly setRoots?: (roots: Promise<readonly string[]>) => void
  /** What `service_status` tells of the place. */
  statusFields(): Promise<Readonly<Record<string, unknown>>>
  /** Brings the files of a completed task to where the client can use them, as far as the call's time goes. */
  deliver(
    session: Session,
    done: CompletedTask,
    call: Pick<ToolCall, 'signal' | 'progress'>,
  ): Promise<DeliveryState>
}
