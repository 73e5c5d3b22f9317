import { downloadSmallFile } from '../client/preview.ts'
import type { TaskView } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { isNetworkFailure } from '../platform/system-error.ts'
import type { ToolReply } from './reply.ts'
import type { Session } from './session.ts'

/** Pictures of one reply, and their largest size in bytes: about 500 tokens each. */
const maxPictures = 4
const maxPictureBytes = 512 * 2 ** 10

/** Fetches pictures of the first results of a completed task, in order, up to the first one that cannot be had. */
export async function fetchResultPictures(
  { client, operations }: Pick<Session, 'client' | 'operations'>,
  { task_type, status, output_result }: TaskView,
  signal: AbortSignal,
): Promise<NonNullable<ToolReply['images']>> {
  const operation = operations.find(({ name }) => name === task_type)
  if (status !== 'completed' || !operation?.resultPictures) return []
  const output = operation.output.safeParse(output_result)
  const urls = output.success ? operation.resultPictures(output.data).slice(0, maxPictures) : []
  const pictures: { bytes: Buffer; mimeType: string }[] = []
  for (const download_url of urls) {
    try {
      const bytes = await downloadSmallFile(client, { download_url }, { maxBytes: maxPictureBytes, signal })
      pictures.push({ bytes, mimeType: 'image/jpeg' })
    } catch (error) {
      // The result is complete without them.
      if (signal.aborted || error instanceof MediaError || isNetworkFailure(error)) break
      throw error
    }
  }
  return pictures
}
