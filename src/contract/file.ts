import * as z from 'zod'
import { MediaError } from './errors.ts'
import { extensionOf, kindOf, supportedHint, type FileKind } from './file-kind.ts'
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

const fileRefs = z.registry<FileRefOptions>()

/** Declares an input field that contains a file id; agents may pass a local path instead. */
export function fileRef({ describe, ...mark }: FileRefOptions & { readonly describe: string }) {
  const schema = id.describe(describe)
  fileRefs.add(schema, mark)
  return schema
}

/** Kinds that a field declared by `fileRef` accepts; undefined for other fields. */
export function fileKindsOf(schema: z.core.$ZodType): readonly FileKind[] | undefined {
  return fileRefs.get(schema as z.ZodType)?.kinds
}

/** A reference to a file in an input value. */
export interface FileReference extends FileRefOptions {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

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
  return [...walk(schema, value, [])]
}

function* walk(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly (string | number)[],
): Generator<FileReference> {
  // A request may contain a hundred thousand regions, which name no files.
  if (value === undefined || value === null || !mayNameFiles(schema)) return
  const mark = fileRefs.get(schema as z.ZodType)
  if (mark) {
    yield { path, ...mark, value }
  } else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  ) {
    yield* walk(schema.unwrap(), value, path)
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* walk(schema.element, item, [...path, index])
  } else if (schema instanceof z.ZodObject && typeof value === 'object') {
    for (const [key, field] of Object.entries(schema.shape)) {
      yield* walk(field, (value as Record<string, unknown>)[key], [...path, key])
    }
  } else if (schema instanceof z.ZodRecord && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) yield* walk(schema.valueType, item, [...path, key])
  }
}

/** Whether values of each schema may name files. */
const namingFiles = new WeakMap<z.core.$ZodType, boolean>()

function mayNameFiles(schema: z.core.$ZodType): boolean {
  const known = namingFiles.get(schema)
  if (known !== undefined) return known
  const found = fileRefs.has(schema) || innerSchemasOf(schema).some(mayNameFiles)
  namingFiles.set(schema, found)
  return found
}

/** The schemas of the values inside, for the kinds of schemas that are walked. */
function innerSchemasOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return [schema.unwrap()]
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodObject) return Object.values(schema.shape)
  return schema instanceof z.ZodRecord ? [schema.valueType] : []
}
