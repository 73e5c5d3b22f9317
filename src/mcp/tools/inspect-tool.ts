import * as z from 'zod'
import { fetchPreview, type PreviewQuery } from '../../client/preview.ts'
import { type FileKind, kindOf } from '../../contract/file-kind.ts'
import { type InspectedFile, previewKind, type ShownRegions } from '../../contract/file-routes.ts'
import { maxSheetFrames } from '../../contract/regions.ts'
import { rawRoutes, routes } from '../../contract/routes.ts'
import type { ToolReply } from '../reply.ts'
import { entryPath, listAllowedFolder } from '../folder-listing.ts'
import type { Session } from '../session.ts'
import { uploadSnapshot } from '../snapshot.ts'
import { defineTool, orFolderText, pathOrIdText, pathText, type ToolCall } from '../tool.ts'
import { isPath } from '../upload-files.ts'
import { uploadErrors, uploadLocalFile } from './file-tools.ts'

/** Returns the facts of a file, with a preview on request. */
export const inspectFileTool = defineTool(
  {
    name: 'inspect_file',
    title: 'Inspect a file',
    description:
      'Returns the facts of a media file, or the media files of a folder; on request with a picture: contact sheet of a ' +
      'video or image, waveform, one large frame with a 0-to-1 grid to read boxes from (at), or a list of regions drawn ' +
      'over frames.',
    input: z
      .object({
        file: pathText.describe(`File${orFolderText}: ${pathOrIdText}`),
        preview: previewKind.optional().describe('Picture to show beside the facts'),
        regions: pathText.optional().describe(`Detection result (.json) to draw: ${pathOrIdText}`),
        at: z
          .array(z.number().min(0))
          .min(1)
          .max(maxSheetFrames)
          .optional()
          .describe('Times of frames to show, s'),
      })
      .superRefine(({ preview, regions, at }, context) => {
        const refuse = (field: string, message: string, fix: string) =>
          context.addIssue({ code: 'custom', path: [field], message, params: { fix } })
        if (preview !== undefined && regions !== undefined)
          refuse('preview', 'cannot be combined with regions', 'Leave preview out, or call once for each.')
        if (at && preview === 'waveform')
          refuse('at', 'selects a frame, not sound', 'Leave at or preview out.')
      }),
    toolset: 'files',
    alsoIn: ['library'],
    example: { file: 'interview.mp4', preview: 'contact_sheet' },
    errors: [...uploadErrors, ...routes.inspectFile.errors, ...rawRoutes.previewFile.errors],
    // A local file is uploaded for inspection.
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { file, preview, regions, at }, call) => {
    const listing = (await isPath(session, file)) ? await folderReply(session, file) : undefined
    if (listing) return listing
    const ids: string[] = []
    const names: string[] = []
    for (const name of regions === undefined ? [file] : [file, regions]) {
      const uploaded = (await isPath(session, name)) ? await uploadLocalFile(session, name, call) : null
      if (uploaded && !uploaded.file) return { data: { ...uploadSnapshot(uploaded.job) } }
      ids.push(uploaded?.file?.file_id ?? name)
      names.push(uploaded?.file?.original_name ?? session.files.get(name)?.name ?? '')
    }
    const [file_id = file, regions_file_id] = ids
    const { client } = session
    const inspected = await client.call(routes.inspectFile, { params: { file_id }, signal: call.signal })
    const about = inspectionFacts({ ...inspected, original_name: names[0] || inspected.original_name })
    if (regions_file_id !== undefined) {
      const regionsQuery = { regions_file_id, ...(at && { at: at.join() }) }
      const shown = await client.call(routes.showRegions, {
        params: { file_id },
        query: regionsQuery,
        signal: call.signal,
      })
      const over = { file_id: inspected.file_id, kind: kindOf(inspected.base_ext.toLowerCase()) }
      const data = (empty: readonly number[]) => {
        return { ...about, regions_file_id, regions: describeRegions(shown, over, empty) }
      }
      const query = { kind: 'regions' as const, ...regionsQuery }
      return await replyWithPreview(
        session,
        { file_id, data, query, next_step: regionsNextStep(session, shown, over) },
        call,
      )
    }
    const [time] = at ?? []
    if (time !== undefined) {
      const frame = { file_id, about, kind: kindOf(inspected.base_ext.toLowerCase()), times: at ?? [] }
      return await replyWithFrame(session, frame, call)
    }
    if (preview === undefined) return { data: { ...about, next_step: useFileStep } }
    const query = { kind: preview }
    return await replyWithPreview(
      session,
      { file_id, data: () => about, query, next_step: useFileStep },
      call,
    )
  },
)

interface PreviewReplyOptions {
  readonly file_id: string
  /** Data beside the picture. empty: indexes of frames that could not be rendered. */
  readonly data: (empty: readonly number[]) => Readonly<Record<string, unknown>>
  readonly query: PreviewQuery
  /** Next step after looking at the picture. */
  readonly next_step: string
}

/** Returns the data with its picture, or without if rendering takes longer than the call. */
async function replyWithPreview(
  session: Session,
  wanted: PreviewReplyOptions,
  call: ToolCall,
): Promise<ToolReply> {
  const { file_id, data, query, next_step } = wanted
  // Rendering continues after this call: the contact sheet of a long video takes time.
  const rendering = session.previews.join(JSON.stringify([file_id, query]), ({ signal }) =>
    fetchPreview(session.client, file_id, { ...query, signal }),
  )
  const image = await rendering.result(call.signal)
  if (image) return { data: { ...data(image.empty), next_step }, images: [image] }
  const again = 'The picture is still being rendered. Call inspect_file again with the same arguments.'
  return { data: { ...data([]), next_step: again } }
}

interface FrameReplyOptions {
  readonly file_id: string
  readonly about: Readonly<Record<string, unknown>>
  readonly kind: FileKind | undefined
  /** Requested times, s; the first is shown. */
  readonly times: readonly number[]
}

/** Returns one frame with a grid, from which boxes can be read. */
async function replyWithFrame(
  session: Session,
  { file_id, about, kind, times }: FrameReplyOptions,
  call: ToolCall,
): Promise<ToolReply> {
  const [at = 0, ...others] = times
  const tool = session.operations.find(({ reviewedRegions }) => reviewedRegions?.kind === kind)
  const use = tool ? `, then call ${tool.name} with purify_scope region and regions` : ''
  const later = others.length > 0 ? ` For the other times, call once for each: ${others.join(', ')}.` : ''
  const next_step =
    'For boxes, read the grid: lines are tenths of the width (x, w) and height (y, h) from the top left, boxes are ' +
    `{"x": …, "y": …, "w": …, "h": …} from 0 to 1${use}.${later}`
  const data = () => ({ ...about, frame: { at } })
  return await replyWithPreview(
    session,
    { file_id, data, query: { kind: 'frame', at: String(at) }, next_step },
    call,
  )
}

/** Most entries of a folder in a result. */
const maxEntriesListed = 100

/** Lists a folder instead of a file; undefined for other paths. */
async function folderReply({ delivery }: Session, given: string): Promise<ToolReply | undefined> {
  if (/^https:/i.test(given)) return undefined
  const listing = await listAllowedFolder(await delivery.folders(), given)
  if (!listing) return undefined
  const { files, folders, isTruncated } = listing
  const [first] = files
  const hidden = files.length - maxEntriesListed
  const notes = [
    ...(hidden > 0 ? [`${hidden} more files are not listed.`] : []),
    ...(isTruncated ? ['The folder has more entries than were read.'] : []),
  ]
  return {
    data: {
      kind: 'folder',
      media_files: files.slice(0, maxEntriesListed),
      folders: folders.slice(0, maxEntriesListed),
      ...(notes.length > 0 && { notes }),
      next_step: first
        ? `Use the path of a file, such as ${entryPath(given, first.name)}.`
        : 'The folder contains no media files. Inspect one of its folders, or ask the user where the files are.',
    },
  }
}

const useFileStep = 'Use file_id, or the path it came from, in other tools.'

/** A file's record and facts, with a note if it is truncated. */
function inspectionFacts({
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

function truncationNote(statedMs: number, endMs: number): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  return (
    `The file is truncated: it should last ${seconds(statedMs)}, but picture and sound end at ${seconds(endMs)}. ` +
    'Use only the part before that, or get the complete file.'
  )
}

/** The file over which regions are drawn. */
interface RegionsTarget {
  readonly file_id: string
  readonly kind: FileKind | undefined
}

/** Describes a picture of regions, with notes on regions that do not match the file and on empty frames. */
function describeRegions(
  shown: ShownRegions,
  over: RegionsTarget,
  empty: readonly number[],
): Record<string, unknown> {
  const { source_file_id: _, ...facts } = shown
  const notes: string[] = []
  if (isForOtherFile(shown, over)) {
    notes.push(
      'These regions were detected in another file: correct for a result cleaned with them, wrong for another video.',
    )
  }
  if (hasUnshownRegions(shown)) {
    notes.push(
      'Regions that are not shown are after the end of the video or between two frames: correct their times.',
    )
  }
  if (empty.length > 0) {
    const at = empty.flatMap((place) => shown.frames[place]?.seconds ?? [])
    notes.push(
      `No frame is shown at ${at.map((seconds) => `${seconds} s`).join(', ')}: it was not decoded in time, or is ` +
        `damaged. Call again with at: [${at.join(', ')}]; frames that stay empty cannot be shown.`,
    )
  }
  return { ...facts, ...(notes.length > 0 && { notes }) }
}

/** Next step after looking at regions. */
function regionsNextStep(
  { operations }: Pick<Session, 'operations'>,
  shown: ShownRegions,
  over: RegionsTarget,
): string {
  const { next_at, regions, protect_regions } = shown
  const some = next_at.length > maxSheetFrames ? `, ${maxSheetFrames} at a time` : ''
  const others = next_at.length > 0 ? `For more frames, use at${some}: [${next_at.join(', ')}]. ` : ''
  if (regions + protect_regions === 0) {
    return 'The list is empty: nothing would be changed. Add a region for each object to remove, then inspect again.'
  }
  if (isForOtherFile(shown, over)) {
    return (
      `${others}If something remains in a box of this result, correct that box in the list, and clean the original ` +
      `file (${shown.source_file_id}) again: the list is rejected for this one.`
    )
  }
  const treating = operations.find(({ reviewedRegions }) => reviewedRegions?.kind === over.kind)
  const list = { fileId: over.file_id, isDetected: shown.source_file_id !== undefined }
  return `${others}${treating?.reviewedRegions?.nextStep(list) ?? 'Correct the list, then inspect again.'}`
}

function isForOtherFile({ source_file_id }: ShownRegions, { file_id }: RegionsTarget): boolean {
  return source_file_id !== undefined && source_file_id !== file_id
}

function hasUnshownRegions({ not_shown, next_at }: ShownRegions): boolean {
  return not_shown.count > 0 && next_at.length === 0
}

/** A file's facts for agents, without fields that serve only the service's estimates. */
export function publicMediaFacts(media: InspectedFile['media']): InspectedFile['media'] {
  if (!media?.video) return media
  const { seek_ms: _, ...video } = media.video
  return { ...media, video }
}
