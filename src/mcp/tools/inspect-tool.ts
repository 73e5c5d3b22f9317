import * as z from 'zod'
import { fetchPreview, type PreviewQuery } from '../../client/preview.ts'
import { type FileKind, kindOf } from '../../contract/file-kind.ts'
import { type InspectedFile, previewKind, type ShownRegions } from '../../contract/file-routes.ts'
import { exampleRegionsFile, maxSheetFrames } from '../../contract/regions.ts'
import { rawRoutes, routes } from '../../contract/routes.ts'
import type { ToolReply } from '../reply.ts'
import type { Session } from '../session.ts'
import { uploadSnapshot } from '../snapshot.ts'
import { defineTool, pathOrId, pathOrIdText, pathText, type ToolCall } from '../tool.ts'
import { isPath } from '../upload-files.ts'
import { uploadErrors, uploadLocalFile } from './file-tools.ts'

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

/** The file that regions are drawn over. */
interface RegionsTarget {
  readonly file_id: string
  readonly kind: FileKind | undefined
}

/** What a picture of regions shows, with notes on a list that does not fit the file, and on empty frames. */
function describeRegions(
  shown: ShownRegions,
  over: RegionsTarget,
  empty: readonly number[],
): Record<string, unknown> {
  const { source_file_id: _, ...told } = shown
  const notes: string[] = []
  if (isForOtherFile(shown, over)) {
    notes.push(
      'These regions were found in another file: right for a result that was cleaned by them, wrong for another video.',
    )
  }
  if (hasUnshownRegions(shown)) {
    notes.push('What is not shown lies after the end of the video, or between two frames: correct its times.')
  }
  if (empty.length > 0) {
    const at = empty.flatMap((place) => shown.frames[place]?.seconds ?? [])
    notes.push(
      `Nothing is shown at ${at.map((seconds) => `${seconds} s`).join(', ')}: no frame was decoded there in ` +
        `time, or it is damaged. Ask again with at: [${at.join(', ')}]; what is empty then cannot be shown.`,
    )
  }
  return { ...told, ...(notes.length > 0 && { notes }) }
}

/** What an agent does with regions it has seen. */
function regionsNextStep(shown: ShownRegions, over: RegionsTarget): string {
  const { next_at, regions, protect_regions } = shown
  const some = next_at.length > maxSheetFrames ? `, ${maxSheetFrames} at a time` : ''
  const others = next_at.length > 0 ? `For others give at${some}: [${next_at.join(', ')}]. ` : ''
  if (regions + protect_regions === 0) {
    return 'The list is empty: nothing would be treated. Add a region for each thing that is to go, then look again.'
  }
  if (isForOtherFile(shown, over)) {
    return (
      `${others}Where something is left in a box of this result, correct that box in the list, and clean ` +
      `the file it was found in (${shown.source_file_id}) again: the list is refused for this one.`
    )
  }
  if (over.kind === 'image') {
    return (
      `${others}Correct the boxes until they sit right, then call image_purify with purify_scope region and ` +
      'regions: up to 16 boxes in the call, without ids; it takes no list as a file.'
    )
  }
  const sort =
    `${others}Take out of the list what is to stay as it is, or move it to protect_regions where others overlap it; ` +
    'then look again.'
  const clean = 'call video_purify with phase purify and regions_file_id.'
  return shown.source_file_id === undefined
    ? `${sort} To clean by a list of your own, write it as ${exampleRegionsFile(over.file_id)}, and ${clean}`
    : `${sort} To clean by it, ${clean}`
}

function isForOtherFile({ source_file_id }: ShownRegions, { file_id }: RegionsTarget): boolean {
  return source_file_id !== undefined && source_file_id !== file_id
}

function hasUnshownRegions({ not_shown, next_at }: ShownRegions): boolean {
  return not_shown.count > 0 && next_at.length === 0
}

/** A file's facts as agents are told them: without what only estimates of the service's own are made of. */
export function publicMediaFacts(media: InspectedFile['media']): InspectedFile['media'] {
  if (!media?.video) return media
  const { seek_ms: _, ...video } = media.video
  return { ...media, video }
}
