import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { isPath } from '../file-bridge.ts'
import { saveFiles } from '../save.ts'
import type { SavedFile } from '../session.ts'
import { defineTool } from '../tool.ts'
import { pathOrId, saveTo } from './fields.ts'

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
