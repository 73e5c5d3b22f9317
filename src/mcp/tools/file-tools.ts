import * as z from 'zod'
import { previewFile } from '../../client/preview.ts'
import { MediaError } from '../../contract/errors.ts'
import { previewKind, routes } from '../../contract/routes.ts'
import { isPath, openFiles, uploadFiles } from '../file-bridge.ts'
import { everyKind } from '../open-inside.ts'
import { saveFiles } from '../save.ts'
import type { SavedFile, Session, Uploaded } from '../session.ts'
import { uploadSnapshot } from '../snapshot.ts'
import type { Transfer } from '../transfers.ts'
import { tool, type Call } from '../tool.ts'
import { pathOrId, saveTo } from './fields.ts'

/** Uploads one file for use in several operations. */
export const uploadFileTool = tool(
  {
    name: 'upload_file',
    title: 'Upload a file',
    description:
      'Uploads a local media file and answers its file_id. Not needed before other tools: they take paths themselves. ' +
      'Useful for a file that several operations share.',
    input: z.object({ path: pathOrId.describe('Absolute path, or path in the workspace') }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { path }, call) => {
    const { transfer, file } = await upload(session, path, call)
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

/** Tells what a file is, and shows it small. */
export const inspectFileTool = tool(
  {
    name: 'inspect_file',
    title: 'Inspect a file',
    description:
      'Facts of a media file: duration, size, frame rate, codecs, sound. On request also a picture: a contact sheet ' +
      'of a video or image, or the waveform of its sound.',
    input: z.object({
      file: pathOrId.describe('Absolute path, path in the workspace, or file id'),
      preview: previewKind.optional().describe('Picture to show'),
    }),
    // A path is uploaded to be inspected.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { file, preview }, call) => {
    const uploaded = (await isPath(session, file)) ? await upload(session, file, call) : null
    if (uploaded && !uploaded.file) return { data: { ...uploadSnapshot(uploaded.transfer) } }
    const file_id = uploaded?.file?.file_id ?? file
    const { client } = session
    const facts = await client.call(routes.inspectFile, { params: { file_id }, signal: call.signal })
    const { original_name, size, created_at, expire_at, media } = facts
    const image = preview && (await previewFile(client, file_id, { kind: preview, signal: call.signal }))
    return {
      data: { file_id, name: original_name, bytes: size, created_at, expire_at, media },
      ...(image && { images: [image] }),
    }
  },
)

/** Brings a stored file into the workspace. */
export const downloadFileTool = tool(
  {
    name: 'download_file',
    title: 'Download a file',
    description:
      'Saves a stored file into the workspace. Not needed for results: get_task saves those. An existing different ' +
      'file is never overwritten.',
    input: z.object({ file_id: pathOrId, save_to: saveTo }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { file_id, save_to = 'reelwright-output' }, call) => {
    if (await isPath(session, file_id)) {
      throw new MediaError(6016, `${file_id} is a path, not a file id`, {
        hint: 'A path names a file that is already here: use it as it is. Only stored files are downloaded, by file_id.',
      })
    }
    const wish = { files: [{ file_id, role: 'file' }], saveTo: save_to }
    const transfer = session.saves.start(
      (context) => saveFiles(session, wish, context),
      `${file_id} ${save_to}`,
    )
    const saved = await transfer.within(call.signal, (percent) =>
      call.progress(percent, `saving ${percent} %`),
    )
    return { data: { ...downloaded(saved?.[0], transfer) } }
  },
)

function downloaded(saved: SavedFile | undefined, transfer: { progress: number }): Record<string, unknown> {
  if (saved) return { ...saved, next_step: `Saved as ${saved.path}` }
  return {
    status: 'downloading',
    progress: transfer.progress,
    next_step:
      'The download goes on by itself. Call download_file again with the same arguments to wait for it.',
  }
}

async function upload(
  session: Session,
  path: string,
  call: Call,
): Promise<{ transfer: Transfer<Uploaded>; file: Extract<Uploaded, { file: unknown }>['file'] | undefined }> {
  const files = await openFiles(session, new Map([[path, everyKind]]))
  const transfer = session.uploads.start(async (context) => {
    await using opened = files
    const record = (await uploadFiles(session, opened, context)).get(path)
    if (!record) throw new MediaError(6036, `${path} was not uploaded`)
    return { file: record }
  })
  const uploaded = await transfer.within(call.signal, (percent) =>
    call.progress(percent, `uploading ${percent} %`),
  )
  return { transfer, file: uploaded && 'file' in uploaded ? uploaded.file : undefined }
}
