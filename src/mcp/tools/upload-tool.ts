import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { fileKinds } from '../../contract/file-kind.ts'
import { routes } from '../../contract/routes.ts'
import { openFiles, uploadFiles } from '../file-bridge.ts'
import type { Session, SubmissionResult } from '../session.ts'
import { uploadSnapshot } from '../snapshot.ts'
import type { Job } from '../transfers.ts'
import { defineTool, type ToolCall } from '../tool.ts'
import { pathOrId } from './fields.ts'

/** What the upload of a local file may answer. */
export const uploadErrors = [6004, ...routes.uploadFile.errors] as const

/** Uploads one file for use in several operations. */
export const uploadFileTool = defineTool(
  {
    name: 'upload_file',
    title: 'Upload a file',
    description:
      'Uploads a local media file and answers its file_id. Not needed before other tools: they take paths themselves. ' +
      'Useful for a file that several operations share.',
    input: z.object({ path: pathOrId.describe('Absolute path, or path in the workspace') }),
    toolset: 'files',
    example: { path: 'interview.mp4' },
    errors: uploadErrors,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { path }, call) => {
    const { transfer, file } = await uploadLocalFile(session, path, call)
    if (!file) return { data: { ...uploadSnapshot(transfer) } }
    const { file_id, original_name, size, expire_at } = file
    return {
      data: {
        file_id,
        name: original_name,
        bytes: size,
        expire_at,
        next_step: 'Use file_id in other tools.',
      },
    }
  },
)

/** Uploads a local file, or follows the upload that a call before began; answers without a file where that takes longer. */
export async function uploadLocalFile(
  session: Session,
  path: string,
  call: ToolCall,
): Promise<{
  transfer: Job<SubmissionResult>
  file: Extract<SubmissionResult, { file: unknown }>['file'] | undefined
}> {
  const files = await openFiles(session, new Map([[path, fileKinds]]))
  // A call that is repeated follows the upload that the first one began.
  const identity = files.byPath.get(path)?.identity ?? path
  const underWay = session.submissions.running(identity)
  if (underWay) await files[Symbol.asyncDispose]()
  const transfer =
    underWay ??
    session.submissions.start(async (context) => {
      await using opened = files
      const record = (await uploadFiles(session, opened, context)).get(path)
      if (!record) throw new MediaError(6036, `${path} was not uploaded`)
      return { file: record }
    }, identity)
  const uploaded = await transfer.within(call.signal, (percent) =>
    call.progress(percent, `uploading ${percent} %`),
  )
  return { transfer, file: uploaded && 'file' in uploaded ? uploaded.file : undefined }
}
