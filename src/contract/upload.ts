import * as z from 'zod'
import { fileRecord } from './file.ts'
import { id } from './fields.ts'

/** Size of each part but the last, bytes (contract 1, 4.2); clients use the part_size that init returns. */
export const partBytes = 32 * 2 ** 20

/** Lifetime of an upload session after its last activity, hours. */
export const sessionHours = 72

/** Most missing indexes that 6027 lists. */
export const maxListedMissing = 20

/** A time as upload sessions format it: UTC, without a zone. */
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
    .describe('BLAKE3 of the whole file; avoids uploading it, or parts of it, again'),
})
export type UploadInit = z.infer<typeof uploadInit>

/** An upload session as init returns it. */
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
  .describe('Parts may be imported from a file on the same machine, by its path')

/** Result of init: the stored file if the service has it, the open upload of the same file, or a new session. */
export const uploadInitResult = z.union([
  fileRecord.extend({ instant: z.literal(true) }),
  uploadStatus.extend({ local_import: localImport }),
  uploadSession.extend({ local_import: localImport }),
])
export type UploadInitResult = z.infer<typeof uploadInitResult>

/** A session that init returned, new or already open. */
export type OpenUploadSession = Exclude<UploadInitResult, { readonly instant: true }>

/** Response to a stored part. */
export const uploadPart = z.object({
  upload_id: id,
  index: z.int(),
  received: z.int(),
  total_parts: z.int(),
})

/** A file on the machine of the service, identified by path, device and inode. */
export const localFile = z.object({
  path: z.string().min(1).max(4096).describe('Absolute'),
  device: z
    .string()
    .regex(/^\d{1,20}$/)
    .describe('Device number, from stat'),
  inode: z
    .string()
    .regex(/^\d{1,20}$/)
    .describe('Inode number, from stat; the path must lead to this file'),
})
export type LocalFile = z.infer<typeof localFile>

/** Query of a part. */
export const uploadPartQuery = z.object({
  blake3: z.string().optional().describe('BLAKE3 of the part; a part with another hash is a mismatch (6026)'),
})

export const uploadAborted = z.object({ upload_id: z.string(), aborted: z.literal(true) })

/** Sizes of a file and of each of its parts but the last, bytes. */
interface PartLayout {
  readonly size: number
  readonly partSize: number
}

/** Number of parts of a file. */
export function partCount({ size, partSize }: PartLayout): number {
  return Math.ceil(size / partSize)
}

/** Offset and size of a part, bytes; the last part is the remainder. */
export function partRange({ size, partSize }: PartLayout, index: number): { offset: number; size: number } {
  const offset = index * partSize
  return { offset, size: Math.min(partSize, size - offset) }
}

/** Formats milliseconds since 1970 as upload sessions do. */
export function toSessionTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')
}
