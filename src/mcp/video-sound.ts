import type { Client } from '../client/client.ts'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, kindOf } from '../contract/file-kind.ts'
import { type FileReference, findFileRefs } from '../contract/file.ts'
import type { Operation } from '../contract/operation.ts'
import { routes } from '../contract/routes.ts'
import { setAt } from './nested-values.ts'
import type { Session } from './session.ts'

/** Whether a field accepts audio but no video, so that the sound of a video is extracted for it. */
export function takesSoundOfVideo({ kinds }: Pick<FileReference, 'kinds'>): boolean {
  return kinds.includes('audio') && !kinds.includes('video')
}

/** A request whose videos are replaced by their sound. */
interface SoundRequest {
  readonly body: Record<string, unknown>
  /** One sentence for each video. */
  readonly assumed: readonly string[]
}

/**
 * Replaces stored videos in audio fields with audio files of their sound, which the service extracts. The HTTP
 * contract accepts only audio there. Throws 6014 for a video without sound.
 */
export async function extractSounds(
  { client, files }: Pick<Session, 'client' | 'files'>,
  { operation, body }: { readonly operation: Operation; readonly body: Record<string, unknown> },
  signal: AbortSignal,
): Promise<SoundRequest> {
  const references = findFileRefs(operation.input, body).filter(takesSoundOfVideo)
  const assumed: string[] = []
  const replaced = structuredClone(body)
  for (const { path, value } of references) {
    const params = { file_id: String(value) }
    const name = files.get(params.file_id)?.name ?? (await storedName(client, params, signal))
    if (name === undefined || kindOf(extensionOf(name)) !== 'video') continue
    const sound = await client.call(routes.extractSound, { params, signal })
    setAt(replaced, path, sound.file_id)
    assumed.push(`The sound of ${name} is used.`)
  }
  return { body: replaced, assumed }
}

/** Name of a stored file; undefined for an unknown id, which the creation of the task reports with its field. */
async function storedName(
  client: Client,
  params: { readonly file_id: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await client.call(routes.fileDetails, { params, signal })).original_name
  } catch (error) {
    if (error instanceof MediaError && error.code === 6004) return undefined
    throw error
  }
}
