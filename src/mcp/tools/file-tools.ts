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

/** Errors that the upload of a local file may return. */
export const uploadErrors = [6004, ...routes.uploadFile.errors] as const

/** Uploads one file for use in several operations. */
export const uploadFileTool = defineTool(
  {
    name: 'upload_file',
    title: 'Upload a file',
    description:
      'Uploads a local media file and returns its file_id. Not required: other tools accept paths. Useful for a file that ' +
      'several operations share.',
    input: z.object({ path: pathOrId.describe('Absolute, or in the workspace') }),
    toolset: 'files',
    example: { path: 'interview.mp4' },
    errors: uploadErrors,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { path }, call) => {
    const { job, file } = await uploadLocalFile(session, path, call)
    if (!file) return { data: { ...uploadSnapshot(job) } }
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

/** Uploads a local file, or joins the running upload of an earlier call. `file` is undefined if the call ends first. */
export async function uploadLocalFile(
  session: Session,
  path: string,
  call: ToolCall,
): Promise<{
  job: Job<SubmissionResult>
  file: Extract<SubmissionResult, { file: unknown }>['file'] | undefined
}> {
  const files = await openFiles(session, new Map([[path, fileKinds]]))
  // A repeated call joins the upload that the first one started.
  const identity = files.byPath.get(path)?.identity ?? path
  const running = session.submissions.running(identity)
  if (running) await files[Symbol.asyncDispose]()
  const job =
    running ??
    session.submissions.start(async (context) => {
      await using opened = files
      const record = (await uploadFiles(session, opened, context)).get(path)
      const name = opened.byPath.get(path)?.name
      if (!record || name === undefined) throw new MediaError(6036, `${path} was not uploaded`)
      // The record of a copy has the name of the first upload.
      return { file: { ...record, original_name: name } }
    }, identity)
  const uploaded = await job.result(call.signal, (percent) =>
    call.progress(percent, `uploading ${percent} %`),
  )
  return { job, file: uploaded && 'file' in uploaded ? uploaded.file : undefined }
}

/** Downloads a stored file into the workspace. */
export const downloadFileTool = defineTool(
  {
    name: 'download_file',
    title: 'Download a file',
    description:
      'Saves a stored file into the workspace, never over another file. Not required for results, which get_task saves.',
    input: z.object({ file_id: pathOrId.describe('Id of a stored file'), save_to: saveTo }),
    toolset: 'files',
    example: { file_id: '1947527768341286912', save_to: 'sources/interview.mp4' },
    errors: [6004, 6013],
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { file_id, save_to = 'reelwright-output' }, call) => {
    if (await isPath(session, file_id)) {
      throw new MediaError(6016, `${file_id} is a path, not a file id`, {
        hint: 'A path names a local file: use it directly. Only stored files are downloaded, by file_id.',
      })
    }
    const request = { files: [{ file_id, role: 'file' }], saveTo: save_to }
    const job = session.saves.join(`${file_id} ${save_to}`, (context) => saveFiles(session, request, context))
    const saved = await job.result(call.signal, (percent) => call.progress(percent, `saving ${percent} %`))
    return { data: { ...downloadReply(saved?.[0], job) } }
  },
)

function downloadReply(saved: SavedFile | undefined, job: { progress: number }): Record<string, unknown> {
  if (saved) {
    const note = saved.note === undefined ? '' : `${saved.note} `
    return { ...saved, next_step: `${note}Saved to ${saved.path}` }
  }
  return {
    status: 'downloading',
    progress: job.progress,
    next_step:
      'The download continues in the background. Call download_file again with the same arguments to wait for it.',
  }
}
