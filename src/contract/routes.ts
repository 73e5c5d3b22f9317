import * as z from 'zod'
import { fileDetails, fileRecord } from './file.ts'
import { mediaFacts } from './media-facts.ts'
import { taskCreated, taskList, taskRecord } from './task.ts'

/** One endpoint: `{name}` in the path is a parameter, `data` is what a success carries. */
export interface Route<Data extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly data: Data
}

function route<Data extends z.ZodType>(method: Route['method'], path: string, data: Data): Route<Data> {
  return { method, path, data }
}

/** What the service can do and what each part costs. */
export const capabilities = z.object({
  protocol_version: z.literal(2),
  version: z.string(),
  operations: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      ready: z.boolean(),
      /** Why it is not ready and the one command or setting that enables it. */
      missing: z.string().nullable(),
      price: z.string(),
    }),
  ),
  limits: z.object({ max_file_bytes: z.int(), retention_days: z.int() }),
  credits: z.object({ balance: z.int() }),
  tasks: z.object({ queued: z.int(), processing: z.int() }),
})
export type Capabilities = z.infer<typeof capabilities>

/** Previews of a file as a small picture. */
export const previewKind = z.enum(['contact_sheet', 'waveform'])
export type PreviewKind = z.infer<typeof previewKind>

/** Facts of a stored file: its record and what a probe tells; null for what is not media. */
export const inspectedFile = fileDetails.extend({ media: mediaFacts.nullable() })
export type InspectedFile = z.infer<typeof inspectedFile>

/** Endpoints whose answer is the JSON envelope. */
export const routes = {
  uploadFile: route('POST', '/base/file/upload', fileRecord),
  fileDetails: route('GET', '/base/file/{file_id}', fileDetails),
  inspectFile: route('GET', '/base/file/{file_id}/facts', inspectedFile),
  createTask: route('POST', '/task/{task_type}', taskCreated),
  queryTask: route('GET', '/task/{task_type}/{task_id}', taskRecord),
  listTasks: route('GET', '/task/list', taskList),
  cancelTask: route('POST', '/task/{task_id}/cancel', z.literal('')),
  capabilities: route('GET', '/base/capabilities', capabilities),
  /** Asks the daemon to make room for a newer version; 6007 when it has work. */
  exitDaemon: route('POST', '/daemon/exit', z.literal('')),
} as const

/** Endpoints that answer something else: bytes, a socket, the proof of who answers (platform/handshake.ts). */
export const rawRoutes = {
  downloadFile: { method: 'GET', path: '/base/file/{file_id}/download' },
  previewFile: { method: 'GET', path: '/base/file/{file_id}/preview' },
  taskEvents: { method: 'GET', path: '/task/events' },
  health: { method: 'GET', path: '/health' },
} as const

/** Fills the parameters of a path, escaped. */
export function fillPath(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name]
    if (value === undefined) throw new TypeError(`path parameter ${name} missing for ${path}`)
    return encodeURIComponent(value)
  })
}

/** The relative address of a file's bytes, as `download_url`. */
export function downloadUrl(fileId: string): string {
  return fillPath(rawRoutes.downloadFile.path, { file_id: fileId })
}
