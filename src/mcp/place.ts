import type { TaskView } from '../client/tasks.ts'
import type { PublishedSchema } from './schema.ts'
import type { KnownTask, Session } from './session.ts'
import type { Saving } from './next-step.ts'
import type { Call, Tool } from './tool.ts'
import type { Folders } from './workspace.ts'

/** A task that has been completed. */
export interface Done {
  readonly view: TaskView
  readonly task: KnownTask
}

/** Where the files of a session's client are: in folders of this machine, or elsewhere behind links. */
export interface Place {
  /** What clients are told of the server as a whole. */
  readonly instructions: string
  /** What prompts leave unsaid. */
  readonly promptNote?: string
  /** A published schema as it holds here: what a file field takes. */
  schema(published: PublishedSchema): PublishedSchema
  /** The tools as clients of this place see them. */
  tools(all: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool>
  /** The folders that local paths are looked for in; throws 6016 where there are none. */
  folders(): Promise<Folders>
  /** Whether a local file has this name. */
  has(name: string): Promise<boolean>
  /** Takes the folders that a client says it works in; left out where they say nothing. */
  readonly hint?: (roots: Promise<readonly string[]>) => void
  /** What `service_status` tells of the place. */
  about(): Promise<Readonly<Record<string, unknown>>>
  /** Brings the files of a completed task to where the client can use them, as far as the call's time goes. */
  deliver(session: Session, done: Done, call: Pick<Call, 'signal' | 'progress'>): Promise<Saving>
}
