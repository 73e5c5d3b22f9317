import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { fileKinds } from '../../contract/file-kind.ts'
import { routes } from '../../contract/routes.ts'
import type { Job } from '../background-jobs.ts'
import type { SavedPlace, Session, SubmissionResult } from '../session.ts'
import { uploadSnapshot } from '../snapshot.ts'
import { defineTool, pathOrId, saveTo, type ToolCall } from '../tool.ts'
import { isPath, openFiles, uploadFiles } from '../upload-files.ts'
import { saveFiles, saveMaterial } from '../save-files.ts'

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

/** What can be downloaded: one of these. */
export const downloadable = {
  file_id: pathOrId.optional().describe('Id of a stored file'),
  material_id: z.int().min(1).optional().describe('Id of a result of a library search'),
}

/** The one that is given. Throws 6013 for none, and 6016 for both and for a path. */
export async function requireOneSource(
  session: Session,
  {
    file_id,
    material_id,
  }: { readonly file_id?: string | undefined; readonly material_id?: number | undefined },
): Promise<{ file_id: string; material_id?: undefined } | { file_id?: undefined; material_id: number }> {
  if (file_id !== undefined && material_id !== undefined) {
    throw new MediaError(6016, 'file_id and material_id are both given', { hint: 'Give one of them.' })
  }
  if (material_id !== undefined) return { material_id }
  if (file_id === undefined) {
    throw new MediaError(6013, 'required: file_id or material_id', {
      hint: 'Give the id of a stored file, or that of a result of a library search.',
    })
  }
  if (await isPath(session, file_id)) {
    throw new MediaError(6016, `${file_id} is a path, not a file id`, {
      hint: 'A path names a local file: use it directly. Only stored files are downloaded, by file_id.',
    })
  }
  return { file_id }
}

/** Downloads a stored file or a material into the workspace. */
export const downloadFileTool = defineTool(
  {
    name: 'download_file',
    title: 'Download a file',
    description:
      'Saves a stored file, or a material that a search returned, into the workspace, never over another file. Not required ' +
      'for results, which get_task saves.',
    input: z.object({ ...downloadable, save_to: saveTo }),
    toolset: 'files',
    alsoIn: ['library'],
    example: { file_id: '1947527768341286912', save_to: 'sources/interview.mp4' },
    errors: [6004, 6013],
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { save_to = 'reelwright-output', ...given }, call) => {
    const { file_id, material_id } = await requireOneSource(session, given)
    const onProgress = (percent: number) => call.progress(percent, `saving ${percent} %`)
    if (file_id === undefined) {
      const material = { id: material_id, saveTo: save_to }
      const job = session.materialSaves.join(`${material_id} ${save_to}`, (context) =>
        saveMaterial(session, material, context),
      )
      const saved = await job.result(call.signal, onProgress)
      const [original, accompaniment] = saved ?? []
      const reply = downloadReply(original, job)
      if (!accompaniment) return { data: { material_id, ...reply } }
      const next_step = `${String(reply['next_step'])}, its accompaniment to ${accompaniment.path}`
      return { data: { material_id, ...reply, accompaniment, next_step } }
    }
    const request = { files: [{ file_id, role: 'file' }], saveTo: save_to }
    const job = session.saves.join(`${file_id} ${save_to}`, (context) => saveFiles(session, request, context))
    const saved = await job.result(call.signal, onProgress)
    return { data: { ...downloadReply(saved?.[0], job) } }
  },
)

function downloadReply(saved: SavedPlace | undefined, job: { progress: number }): Record<string, unknown> {
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
