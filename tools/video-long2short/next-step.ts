import { summarizeList } from '../../src/contract/format.ts'
import type { NextStepContext } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'

/** Parts of a result that the next step describes. */
interface ShortsResult {
  readonly clips: readonly {
    readonly title: string
    readonly total_duration_ms: number
    readonly files: readonly ResultFile[]
    readonly source_start: number
    readonly source_end: number
  }[]
  readonly report: {
    readonly degraded: boolean
    readonly split_manifest?: readonly { readonly file_id: string; readonly path: string }[] | undefined
  }
  readonly errors: Readonly<Record<string, string | undefined>>
}

/** Most files that are named; the result lists all. */
const maxNamed = 3

/** Returns the instruction after clips were made: which to check, what failed, and what to do with each kind of file. */
export function describeClips({ clips, report, errors }: ShortsResult, context: NextStepContext): string {
  const lengths = clips.map(({ total_duration_ms: ms }) => Math.round(ms / 1000))
  const range = [...new Set([Math.min(...lengths), Math.max(...lengths)])].join(' to ')
  const count = clips.length === 1 ? '1 clip' : `${clips.length} clips`
  const failed = Object.entries(errors).flatMap(([kind, reason]) =>
    reason === undefined ? [] : [`${kind}: ${reason}`],
  )
  return [
    `${count} of ${range} s.`,
    ...(report.degraded
      ? [
          'They were not all ranked and described by a language model (notes): read the text of each clip, and write titles that fit.',
        ]
      : []),
    ...(failed.length > 0 ? [`Failed: ${failed.join('. ')}.`] : []),
    ...lookSteps(clips, context),
    ...projectSteps(clips, context),
    ...splitSteps(report, context),
    'Tell the user the titles and the paths.',
  ].join(' ')
}

function lookSteps(clips: ShortsResult['clips'], { input, nameFile }: NextStepContext): string[] {
  const videos = filesOf(clips, 'mp4').map(({ file_id }) => nameFile(file_id))
  if (videos.length > 0) {
    return [
      `Look at each clip: call inspect_file with preview contact_sheet and file ${summarizeList(
        videos.map((path) => JSON.stringify(path)),
        maxNamed,
        ', ',
      )}.`,
    ]
  }
  const source = input?.['file_id']
  const [first] = clips
  if (typeof source !== 'string' || !first) return []
  const times = [first.source_start, (first.source_start + first.source_end) / 2].map(
    (time) => Math.round(time * 10) / 10,
  )
  return [
    `Look at what the clips show: call inspect_file with file ${JSON.stringify(source)} and at [${times.join(', ')}] for clip 1, and so on (source_start, source_end).`,
  ]
}

function projectSteps(clips: ShortsResult['clips'], { nameFile }: NextStepContext): string[] {
  const openable = filesOf(clips, 'xml', 'fcpxml', 'otio').map(({ file_id }) => nameFile(file_id))
  const [draft] = filesOf(clips, 'draft_a_draft', 'draft_b_draft')
  const [gtrk] = filesOf(clips, 'gtrk')
  return [
    ...(openable.length > 0 ? [`Open ${summarizeList(openable, maxNamed, ', ')} in the editor.`] : []),
    ...(draft
      ? [
          `For each draft, copy its files, such as ${nameFile(draft.file_id)}, to a new folder in the editor's folder of drafts, named as their filename in the result (${draft.filename}).`,
        ]
      : []),
    ...(gtrk ? [`To render ${nameFile(gtrk.file_id)}, pass its fields to video_timeline_render.`] : []),
  ]
}

function splitSteps(
  { split_manifest: items = [] }: ShortsResult['report'],
  { nameFile }: NextStepContext,
): string[] {
  const [item] = items
  if (!item) return []
  return [
    `Copy the split screens to where the projects expect them (report.split_manifest), such as ${nameFile(item.file_id)} to ${item.path}.`,
  ]
}

function filesOf(clips: ShortsResult['clips'], ...formats: readonly ResultFile['format'][]): ResultFile[] {
  return clips.flatMap(({ files }) => files.filter(({ format }) => formats.includes(format)))
}
