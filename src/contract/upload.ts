import * as z from 'zod'
import { fileRecord } from './file.ts'
import { id } from './fields.ts'

/** Bytes of every part but the last that the service asks for (contract 1, 4.2); clients use what init answers. */
export const partBytes = 32 * 2 ** 20

/** How long an upload session lives after its latest activity, in hours. */
export const sessionHours = 72

/** At most so many missing indexes are listed by 6027. */
export const maxListedMissing = 20

/** A moment as upload sessions write it: UTC, without a zone. */
const sessionTimestamp = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

/** Body of init. */
export const uploadInit = z.object({
  filename: z.string().min(1).max(4096).describe('Original name with extension'),
  // Beyond 2^53 it is over the limit (6002), not malformed.
  size: z.number().min(0).refine(Number.isInteger, 'must be whole').describe('Total bytes'),
  blake3_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')
    .optional()
    .describe('BLAKE3 of the whole file; may spare the upload, or what has come of it'),
})
export type UploadInit = z.infer<typeof uploadInit>

/** An upload session as init answers it. */
export const uploadSession = z.object({
  upload_id: id,
  part_size: z.int().min(1),
  total_parts: z.int(),
  expires_at: sessionTimestamp,
})
export type UploadSession = z.infer<typeof uploadSession>

/** An upload session's state. */
export const uploadStatus = uploadSession.extend({
  size: z.int(),
  received: z.int().describe('Parts stored'),
  missing: z.array(z.int()).describe('Indexes of parts not stored'),
})
export type UploadStatus = z.infer<typeof uploadStatus>

const localImport = z
  .literal(true)
  .optional()
  .describe('Parts may be taken from a file of the same machine, by its path')

/** What init answers: the file that was there already, the open upload of the same file, or a new session. */
export const uploadInitResult = z.union([
  fileRecord.extend({ instant: z.literal(true) }),
  uploadStatus.extend({ local_import: localImport }),
  uploadSession.extend({ local_import: localImport }),
])
export type UploadInitResult = z.infer<typeof uploadInitResult>

/** A session that init answered, new or open already. */
export type OpenUploadSession = Exclude<UploadInitResult, { readonly instant: true }>

/** Answer to a stored part. */
export const uploadPart = z.object({
  upload_id: id,
  index: z.int(),
  received: z.int(),
  total_parts: z.int(),
})

/** A file of the service's own machine, as a program that has it open knows it. */
export const localFile = z.object({
  path: z.string().min(1).max(4096).describe('Absolute'),
  device: z
    .string()
    .regex(/^\d{1,20}$/)
    .describe('Number of its device, as stat tells'),
  inode: z
    .string()
    .regex(/^\d{1,20}$/)
    .describe('Its number there: what the path leads to must be this very file'),
})
export type LocalFile = z.infer<typeof localFile>

/** Query of a part. */
export const uploadPartQuery = z.object({
  blake3: z.string().optional().describe('BLAKE3 of the part; whatever is not it is a mismatch (6026)'),
})

export const uploadAborted = z.object({ upload_id: z.string(), aborted: z.literal(true) })

/** How a file is cut into parts: its bytes, and the bytes of every part but the last. */
interface PartLayout {
  readonly size: number
  readonly partSize: number
}

/** Number of parts of a file. */
export function partCount({ size, partSize }: PartLayout): number {
  return Math.ceil(size / partSize)
}

/** Where the part at an index lies in the file, bytes; the last part is the remainder. */
export function partRange({ size, partSize }: PartLayout, index: number): { offset: number; size: number } {
  const offset = index * partSize
  return { offset, size: Math.min(partSize, size - offset) }
}

/** A moment, kept as milliseconds since 1970, as upload sessions write it. */
export function toSessionTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')
}
