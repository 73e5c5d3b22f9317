import * as z from 'zod'
import { fetchPreview, type PreviewQuery } from '../../client/preview.ts'
import { kindOf } from '../../contract/file-kind.ts'
import { previewKind, type InspectedFile } from '../../contract/file-routes.ts'
import { maxSheetFrames } from '../../contract/regions.ts'
import { rawRoutes, routes } from '../../contract/routes.ts'
import { isPath } from '../file-bridge.ts'
import type { ToolReply } from '../reply.ts'
import { pathOrIdText } from '../schema.ts'
import type { Session } from '../session.ts'
import { publicMediaFacts } from '../shown-facts.ts'
import { uploadSnapshot } from '../snapshot.ts'
import { defineTool, type ToolCall } from '../tool.ts'
import { pathOrId, pathText } from './fields.ts'
import { regionsNextStep, describeRegions } from './region-words.ts'
import { uploadLocalFile, uploadErrors } from './upload-tool.ts'

/** Tells what a file is, and shows it small. */
export const inspectFileTool = defineTool(
  {
    name: 'inspect_file',
    title: 'Inspect a file',
    description:
      'Facts of a media file: duration, size, frame rate, codecs, sound, and in notes what is wrong with it. On request ' +
      'also a picture: a contact sheet of a video (its frames with their times) or image, the waveform of its sound, or ' +
      'the regions of a detection result drawn with their ids over frames that show them.',
    input: z
      .object({
        file: pathOrId,
        preview: previewKind.optional().describe('Picture to show beside the facts'),
        regions: pathText
          .optional()
          .describe(
            `Detection result (.json) to draw, regions red and protect_regions green: ${pathOrIdText}`,
          ),
        at: z
          .array(z.number().min(0))
          .min(1)
          .max(maxSheetFrames)
          .optional()
          .describe('With regions: times of the frames, s; default those that show most'),
      })
      .superRefine(({ preview, regions, at }, context) => {
        const refuse = (field: string, message: string, fix: string) =>
          context.addIssue({ code: 'custom', path: [field], message, params: { fix } })
        if (preview !== undefined && regions !== undefined)
          refuse('preview', 'regions are a picture of their own', 'Leave preview out, or ask once for each.')
        if (at && regions === undefined)
          refuse('at', 'goes with regions', 'Give regions too, or leave at out.')
      }),
    toolset: 'files',
    example: { file: 'interview.mp4', preview: 'contact_sheet' },
    errors: [...uploadErrors, ...routes.inspectFile.errors, ...rawRoutes.previewFile.errors],
    // A path is uploaded to be inspected.
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { file, preview, regions, at }, call) => {
    const ids: string[] = []
    for (const name of regions === undefined ? [file] : [file, regions]) {
      const uploaded = (await isPath(session, name)) ? await uploadLocalFile(session, name, call) : null
      if (uploaded && !uploaded.file) return { data: { ...uploadSnapshot(uploaded.transfer) } }
      ids.push(uploaded?.file?.file_id ?? name)
    }
    const [file_id = file, regions_file_id] = ids
    const { client } = session
    const inspected = await client.call(routes.inspectFile, { params: { file_id }, signal: call.signal })
    const about = describeFile(inspected)
    if (regions_file_id !== undefined) {
      const query = { regions_file_id, ...(at && { at: at.join() }) }
      const shown = await client.call(routes.showRegions, { params: { file_id }, query, signal: call.signal })
      const over = { file_id: inspected.file_id, kind: kindOf(inspected.base_ext.toLowerCase()) }
      const told = (empty: readonly number[]) => {
        return { ...about, regions_file_id, regions: describeRegions(shown, over, empty) }
      }
      const wish = { kind: 'regions' as const, ...query }
      return await replyWithPreview(
        session,
        { file_id, told, wish, next_step: regionsNextStep(shown, over) },
        call,
      )
    }
    if (preview === undefined) return { data: { ...about, next_step: useFileStep } }
    const wish = { kind: preview }
    return await replyWithPreview(session, { file_id, told: () => about, wish, next_step: useFileStep }, call)
  },
)

interface PreviewReplyOptions {
  readonly file_id: string
  /** What is told beside the picture, some frames of which may be empty. */
  readonly told: (empty: readonly number[]) => Readonly<Record<string, unknown>>
  readonly wish: PreviewQuery
  /** What to do once it has been seen. */
  readonly next_step: string
}

/** The answer with its picture, or without where that takes longer than the call. */
async function replyWithPreview(
  session: Session,
  wanted: PreviewReplyOptions,
  call: ToolCall,
): Promise<ToolReply> {
  const { file_id, told, wish, next_step } = wanted
  // It goes on beyond this call: a sheet of a long video may take its time.
  const drawing = session.previews.join(JSON.stringify([file_id, wish]), ({ signal }) =>
    fetchPreview(session.client, file_id, { ...wish, signal }),
  )
  const image = await drawing.within(call.signal)
  if (image) return { data: { ...told(image.empty), next_step }, images: [image] }
  const again = 'The picture is still being drawn. Call inspect_file again with the same arguments.'
  return { data: { ...told([]), next_step: again } }
}

const useFileStep = 'Use file_id, or the path it came from, in other tools.'

/** A file's record and facts, with a warning where it is damaged. */
function describeFile({
  file_id,
  original_name,
  size,
  base_ext,
  expire_at,
  media,
}: InspectedFile): Record<string, unknown> {
  const cutOff = media?.cut_off_ms
  const notes = cutOff === undefined ? [] : [truncationNote(media?.duration_ms ?? 0, cutOff)]
  return {
    ...{ file_id, name: original_name, kind: kindOf(base_ext.toLowerCase()), bytes: size, expire_at },
    media: publicMediaFacts(media),
    ...(notes.length > 0 && { notes }),
  }
}

function truncationNote(toldMs: number, endMs: number): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  return (
    `The file is cut off: it should last ${seconds(toldMs)}, but picture and sound end at ${seconds(endMs)}. ` +
    'Use only what lies before that, or get the whole file.'
  )
}
