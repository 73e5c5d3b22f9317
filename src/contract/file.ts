import * as z from 'zod'
import { MediaError } from './errors.ts'
import { extensionOf, kindOf, supportedHint, type FileKind } from './file-kind.ts'
import { MarkedFields, type MarkedValue } from './marked-fields.ts'
import { id, pageOf, paging, timestamp } from './fields.ts'

/** Largest upload, bytes (20 GiB). */
export const maxFileBytes = 20 * 2 ** 30

/** How long files are kept by default, days. */
export const retentionDays = 60

/** Hint where a video is given instead of audio. */
const extractAudioHint = 'Extract the sound of a video first: ffmpeg -i old.mp4 -vn new.flac'

/** Hint where an HTML particle is in a file of another kind. */
export const saveAsHtmlHint = 'Save the particle as .html and use that.'

/** A stored file as an upload returns it (contract 1, 2.2). */
export const fileRecord = z.object({
  file_id: id,
  original_name: z.string(),
  size: z.int(),
  blake3_id: z.string(),
  base_ext: z.string(),
  download_url: z.string(),
  created_at: timestamp,
  expire_at: timestamp,
  is_expired: z.boolean(),
})
export type FileRecord = z.infer<typeof fileRecord>

/** Query of the file list. */
export const fileListQuery = z.object({
  task_id: id.optional().describe('Only input and output files of this task'),
  ...paging,
})
export type FileListQuery = z.infer<typeof fileListQuery>

export const fileList = pageOf(fileRecord)
export type FileList = z.infer<typeof fileList>

/** A stored file as file details return it. */
export const fileDetails = fileRecord.extend({ upload_user_id: z.int() })
export type FileDetails = z.infer<typeof fileDetails>

interface FileRefOptions {
  readonly kinds: readonly FileKind[]
  /** Hint for a file of another kind; by default, the supported extensions. */
  readonly fix?: string | undefined
  /** Whether only the sound is used, so that the pictures of a video need not decode. */
  readonly soundAlone?: boolean | undefined
  /** The top-level field that the file replaces. */
  readonly insteadOf?: string | undefined
}

const fileRefs = new MarkedFields<FileRefOptions>()

/** Declares an input field that contains a file id; agents may pass a local path instead. */
export function fileRef({ describe, ...mark }: FileRefOptions & { readonly describe: string }) {
  const schema = id.describe(describe)
  fileRefs.add(schema, mark)
  return schema
}

/** Kinds that a field declared by `fileRef` accepts; undefined for other fields. */
export function fileKindsOf(schema: z.core.$ZodType): readonly FileKind[] | undefined {
  return fileRefs.markOf(schema)?.kinds
}

/** A reference to a file in an input value. */
export type FileReference = FileRefOptions & MarkedValue

const kindWords: Readonly<Record<FileKind, string>> = {
  image: 'an image',
  audio: 'audio',
  video: 'a video',
  text: 'text',
  midi: 'MIDI',
}

/** 6014: a file of a kind that its field does not accept. */
export function wrongKindError({ path, kinds, fix }: FileReference, name: string): MediaError {
  const wanted = kinds
    .map((kind) => kindWords[kind])
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')
  const message = `${z.core.toDotPath(path)}: ${name} is not ${wanted}`
  const isSoundOfVideo = kinds.includes('audio') && kindOf(extensionOf(name)) === 'video'
  const hint = supportedHint(kinds) + (isSoundOfVideo ? `. ${extractAudioHint}` : '')
  return new MediaError(6014, message, { hint: fix ?? hint })
}

/** Finds the file references in a value, in order, by walking value and schema together. */
export function findFileRefs(schema: z.ZodType, value: unknown): FileReference[] {
  return [...fileRefs.find(schema, value)].map(({ mark, path, value: found }) => ({
    ...mark,
    path,
    value: found,
  }))
}
