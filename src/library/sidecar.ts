import * as z from 'zod'
import { parseJsonBytes } from '../contract/bounded-json.ts'
import { MediaError } from '../contract/errors.ts'
import { openFolderFile } from './material-file.ts'

/** Largest sidecar, bytes. */
const maxSidecarBytes = 64 * 1024

const line = z
  .string()
  .max(1000)
  .transform((text) => cleanText(text))

/** What a sidecar, the file `<name>.json` beside a media file, states about it. */
const sidecar = z.object({
  title: line.optional(),
  author: line.optional(),
  tags: z
    .array(line.pipe(z.string().max(100)))
    .max(100)
    .optional(),
  note: z
    .string()
    .max(10_000)
    .transform((text) => cleanText(text))
    .optional(),
  audio_type: z.enum(['song', 'pure']).optional(),
  accompaniment: z.string().min(1).max(255).optional(),
})
export type Sidecar = z.infer<typeof sidecar>

/** Reason of a sidecar that names no usable accompaniment. */
export const noSoundFile = 'the accompaniment that the sidecar names is no sound file in the same folder'

/**
 * Reads a sidecar of a folder. Throws 6016 with the reason where it is invalid, and like `openFolderFile`. path: relative to the
 * folder.
 */
export async function readSidecar(folder: string, path: string): Promise<Sidecar> {
  await using file = await openFolderFile(folder, path)
  if (file.stats.size > maxSidecarBytes) {
    throw new MediaError(6016, `the sidecar is no file of at most ${maxSidecarBytes / 1024} KiB`)
  }
  const bytes = Buffer.alloc(maxSidecarBytes)
  const { bytesRead } = await file.handle.read(bytes, 0, maxSidecarBytes, 0)
  const parsed = sidecar.safeParse(parseJsonBytes(bytes.subarray(0, bytesRead), 'the sidecar'))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new MediaError(6016, `the sidecar is invalid: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Replaces space and control characters, which databases or terminals do not accept, by single spaces; trims. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}
