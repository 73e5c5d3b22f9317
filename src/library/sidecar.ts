import * as z from 'zod'
import { parseJsonBytes } from '../contract/bounded-json.ts'
import { MediaError } from '../contract/errors.ts'
import { openFolderFile } from './material-file.ts'

/** Largest sidecar, bytes. */
const maxSidecarBytes = 64 * 1024

/** Characters of the name of an unknown field that are reported. */
const maxNameShown = 100

/** Returns a rule for a value that is not what it must be. */
const must = (be: string) => ({ error: `must be ${be}` })

const shortText = 'a text of at most 1000 characters'
const noteText = 'a text of at most 10,000 characters'
const tagList = 'a list of at most 100 texts of at most 100 characters'
const fileName = 'the name of a file'

const line = z
  .string(must(shortText))
  .max(1000, must(shortText))
  .transform((text) => cleanText(text))

const tag = z
  .string(must(tagList))
  .max(1000, must(tagList))
  .transform((text) => cleanText(text))
  .pipe(z.string().max(100, must(tagList)))

/** What a sidecar, the file `<name>.json` beside a media file, states about it. */
const sidecar = z.object(
  {
    title: line.optional(),
    author: line.optional(),
    tags: z.array(tag, must(tagList)).max(100, must(tagList)).optional(),
    note: z
      .string(must(noteText))
      .max(10_000, must(noteText))
      .transform((text) => cleanText(text))
      .optional(),
    audio_type: z.enum(['song', 'pure'], must('"song" or "pure"')).optional(),
    accompaniment: z.string(must(fileName)).min(1, must(fileName)).max(255, must(fileName)).optional(),
  },
  must('a JSON object'),
)
export type Sidecar = z.infer<typeof sidecar>

/** A sidecar with its fields that have no meaning, such as misspelt ones. */
export type ReadSidecar = Sidecar & { readonly unknownFields: readonly string[] }

/** Reason of a sidecar that names no usable accompaniment. */
export const noSoundFile = 'the accompaniment that the sidecar names is no sound file in the same folder'

/**
 * Reads a sidecar of a folder. Throws 6016 with the reason where it is invalid, and like `openFolderFile`. path: relative to the
 * folder.
 */
export async function readSidecar(folder: string, path: string): Promise<ReadSidecar> {
  await using file = await openFolderFile(folder, path)
  if (file.stats.size > maxSidecarBytes) {
    throw new MediaError(6016, `the sidecar is no file of at most ${maxSidecarBytes / 1024} KiB`)
  }
  const bytes = Buffer.alloc(maxSidecarBytes)
  const { bytesRead } = await file.handle.read(bytes, 0, maxSidecarBytes, 0)
  const given = parseSidecar(bytes.subarray(0, bytesRead))
  const parsed = sidecar.safeParse(given)
  if (parsed.success) {
    const unknown = Object.keys(given as object).filter((name) => !Object.hasOwn(sidecar.shape, name))
    return { ...parsed.data, unknownFields: unknown.map((name) => cleanText(name).slice(0, maxNameShown)) }
  }
  const [{ path: [field = 'it'], message } = { path: [], message: 'is invalid' }] = parsed.error.issues
  throw new MediaError(6016, `the sidecar is invalid: ${String(field)} ${message}`)
}

/** Parses a sidecar. The message of the parser quotes the text, of which no line breaks are kept. */
function parseSidecar(bytes: Uint8Array): unknown {
  try {
    return parseJsonBytes(bytes, 'the sidecar')
  } catch (error) {
    throw error instanceof MediaError ? new MediaError(6016, cleanText(error.message)) : error
  }
}

/** Replaces space and control characters, which databases or terminals do not accept, by single spaces; trims. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}
