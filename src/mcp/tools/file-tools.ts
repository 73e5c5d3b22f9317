import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { fileKinds } from '../../contract/file-kind.ts'
import { routes } from '../../contract/routes.ts'
import type { Job } from '../background-jobs.ts'
import type { SavedFile, Session, SubmissionResult } from '../session.ts'
import { uploadSnapshot } from '../snapshot.ts'
import { defineTool, pathOrId, saveTo, type ToolCall } from '../tool.ts'
import { isPath, openFiles, uploadFiles } from '../upload-files.ts'
import { saveFiles } from '../workspace-delivery.ts'

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

/** Brings a stored file into the workspace. */
export const downloadFileTool = defineTool(
  {
    name: 'download_file',
    title: 'Download a file',
    description:
      'Saves a stored file into the workspace. Not needed for results: get_task saves those. An existing different ' +
      'file is never overwritten.',
    input: z.object({ file_id: pathOrId.describe('Id of a stored file'), save_to: saveTo }),
    toolset: 'files',
    example: { file_id: '1947527768341286912', save_to: 'sources/interview.mp4' },
    errors: [6004, 6013],
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { file_id, save_to = 'reelwright-output' }, call) => {
    if (await isPath(session, file_id)) {
      throw new MediaError(6016, `${file_id} is a path, not a file id`, {
        hint: 'A path names a file that is already here: use it as it is. Only stored files are downloaded, by file_id.',
      })
    }
    const wish = { files: [{ file_id, role: 'file' }], saveTo: save_to }
    const transfer = session.saves.join(`${file_id} ${save_to}`, (context) =>
      saveFiles(session, wish, context),
    )
    const saved = await transfer.within(call.signal, (percent) =>
      call.progress(percent, `saving ${percent} %`),
    )
    return { data: { ...downloadReply(saved?.[0], transfer) } }
  },
)

function downloadReply(
  saved: SavedFile | undefined,
  transfer: { progress: number },
): Record<string, unknown> {
  if (saved) {
    const note = saved.note === undefined ? '' : `${saved.note} `
    return { ...saved, next_step: `${note}Saved as ${saved.path}` }
  }
  return {
    status: 'downloading',
    progress: transfer.progress,
    next_step:
      'The download goes on by itself. Call download_file again with the same arguments to wait for it.',
  }
}
