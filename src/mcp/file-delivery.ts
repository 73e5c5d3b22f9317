import type { TaskView } from '../client/tasks.ts'
import type { KnownTask, Session } from './session.ts'
import type { DeliveryState } from './snapshot.ts'
import type { PublishedSchema, Tool, ToolCall } from './tool.ts'
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

/** A file among a task's results. */
export interface ResultFile {
  readonly file_id: string
  /** `result`, or the prefix of its field: `midi` for `midi_file_id`. */
  readonly role: string
  /** Seconds, where the result tells. */
  readonly duration?: number
}

/**
 * Finds the files a task made in its output: `file_id` at the top, and each `<role>_file_id` that
 * comes with its `<role>_download_url` or `<role>_file_download_url`. Ids without an address, such as a slot's source,
 * are inputs; an empty one is of a file that was not made.
 */
export function findResultFiles(output: Readonly<Record<string, unknown>>): ResultFile[] {
  const files = new Map<string, ResultFile>()
  for (const [key, id] of Object.entries(output)) {
    const role = /^(?:(\w+)_)?file_id$/.exec(key)
    if (!role || typeof id !== 'string' || id === '') continue
    const prefix = role[1]
    const addresses = [`${prefix}_download_url`, `${prefix}_file_download_url`]
    if (prefix !== undefined && addresses.every((field) => typeof output[field] !== 'string')) continue
    files.set(id, {
      file_id: id,
      role: prefix ?? 'result',
      ...(prefix === undefined && resultDuration(output)),
    })
  }
  for (const nested of nestedObjects(output)) {
    if (typeof nested['download_url'] !== 'string') continue
    for (const file of findResultFiles(nested)) if (!files.has(file.file_id)) files.set(file.file_id, file)
  }
  return [...files.values()]
}

function resultDuration({ duration_ms, duration }: Readonly<Record<string, unknown>>): { duration?: number } {
  if (typeof duration_ms === 'number') return { duration: duration_ms / 1000 }
  return typeof duration === 'number' ? { duration } : {}
}

function nestedObjects(output: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return Object.values(output)
    .flatMap((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value): value is Record<string, unknown> => typeof value === 'object' && value !== null)
}
