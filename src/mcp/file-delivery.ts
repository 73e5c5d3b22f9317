import type { TaskRef, TaskView } from '../client/tasks.ts'
import type { KnownTask, Session } from './session.ts'
import type { DeliveryState } from './snapshot.ts'
import type { PublishedSchema, Tool, ToolCall } from './tool.ts'
import type { Folders } from './workspace.ts'

/** A completed task. */
export interface CompletedTask {
  readonly view: TaskView
  readonly task: KnownTask
}

/** How a client names its files and receives results: in folders of this machine, or by id and download link. */
export interface FileDelivery {
  /** Server instructions for the agent. */
  readonly instructions: string
  /** Note added to each prompt. */
  readonly promptNote?: string
  /** Adapts a published schema: what file fields accept. */
  adaptSchema(published: PublishedSchema): PublishedSchema
  /** Adapts the tools to these clients. */
  adaptTools(all: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool>
  /** Folders in which local paths are allowed. Throws 6016 if local paths are not accepted. */
  folders(): Promise<Folders>
  /** Whether a local file of this name exists. */
  hasFile(name: string): Promise<boolean>
  /** Sets the folders that the client works in. Absent if they have no meaning. */
  readonly setRoots?: (roots: Promise<readonly string[]>) => void
  /** Fields of `service_status` that describe where files are. */
  statusFields(): Promise<Readonly<Record<string, unknown>>>
  /** Local paths of a task's saved results. Absent if results are not saved. */
  readonly savedPaths?: (session: Session, task: TaskRef) => Promise<readonly string[]>
  /** Delivers the files of a completed task to the client, or reports how far that is when the call ends. */
  deliver(
    session: Session,
    done: CompletedTask,
    call: Pick<ToolCall, 'signal' | 'progress'>,
  ): Promise<DeliveryState>
}

/** A result file of a task. */
export interface ResultFile {
  readonly file_id: string
  /** `result`, or the prefix of its field: `midi` for `midi_file_id`. */
  readonly role: string
  /** Seconds, if the result states it. */
  readonly duration?: number
}

/**
 * Finds the result files in a task's output: `file_id` at the top level, and each `<role>_file_id` with a
 * `<role>_download_url` or `<role>_file_download_url`; likewise in nested objects that have a `download_url`, such as the
 * files of a clip. Ids without a URL are inputs, such as a slot's source; an empty id means that the file was not created.
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
  for (const file of findNestedFiles(output)) if (!files.has(file.file_id)) files.set(file.file_id, file)
  return [...files.values()]
}

/** The result files in the objects of an output, in order. The contracts bound its depth. */
function findNestedFiles(output: Readonly<Record<string, unknown>>): ResultFile[] {
  return nestedObjects(output).flatMap((nested) =>
    typeof nested['download_url'] === 'string' ? findResultFiles(nested) : findNestedFiles(nested),
  )
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
