import type { NextStepContext } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'

/** Parts of a result that the next step describes. Times are seconds. */
interface CutResult {
  readonly report: {
    readonly review_points: readonly { readonly time: number; readonly note: string }[]
    readonly dropped: readonly { readonly start: number; readonly end: number }[]
    readonly uncovered_script: readonly string[]
    readonly coverage: number
    readonly low_coverage?: boolean | undefined
    readonly duration_before: number
    readonly duration_after: number
  }
  readonly files: readonly ResultFile[]
}

/** Review points that are described; the report has all. */
const maxPoints = 3

/** Returns the instruction after a cut: what to check, what is missing, and what to do with each file. */
export function describeCut({ report, files }: CutResult, context: NextStepContext): string {
  const { duration_after, duration_before, low_coverage, coverage } = report
  const length = `The cut lasts ${Math.round(duration_after)} s of ${Math.round(duration_before)} s.`
  const doubt =
    low_coverage === true
      ? [
          `Only ${Math.round(100 * coverage)} % of the script was recognised: check that it belongs to this footage, and la.`,
        ]
      : []
  const steps = [
    length,
    ...doubt,
    ...droppedSteps(report),
    ...reviewSteps(report, context),
    ...missingSteps(report),
  ]
  return [...steps, ...fileSteps(files, context), 'Tell the user.'].join(' ')
}

function droppedSteps({ dropped }: CutResult['report']): string[] {
  if (dropped.length === 0) return []
  const seconds = Math.round(dropped.reduce((sum, { start, end }) => sum + end - start, 0))
  const [passages, them] =
    dropped.length === 1 ? ['1 spoken passage was', 'it'] : [`${dropped.length} spoken passages were`, 'them']
  return [
    `${passages} cut (${seconds} s, report.dropped): check that nothing in ${them} is missing in report.final_script.`,
  ]
}

function reviewSteps({ review_points }: CutResult['report'], { input }: NextStepContext): string[] {
  if (review_points.length === 0) return []
  const shown = review_points.slice(0, maxPoints)
  const points = shown.map(({ time, note }) => `${time.toFixed(1)} s (${note})`).join(', ')
  const rest = review_points.length - shown.length
  const more = rest > 0 ? ` and ${rest} more (report.review_points)` : ''
  const footage = input?.['file_id']
  const file = typeof footage === 'string' ? `file ${JSON.stringify(footage)} and ` : ''
  // inspect_file shows one frame per call.
  const times = shown.map(({ time }) => `[${time}]`).join(', then ')
  return [`Check the footage at ${points}${more}: call inspect_file with ${file}at ${times}.`]
}

function missingSteps({ uncovered_script: { length } }: CutResult['report']): string[] {
  if (length === 0) return []
  const passages = length === 1 ? '1 passage of the script has' : `${length} passages of the script have`
  return [`${passages} no footage (report.uncovered_script): tell the user.`]
}

function fileSteps(files: readonly ResultFile[], { nameFile }: NextStepContext): string[] {
  const pathOf = ({ file_id }: ResultFile) => nameFile(file_id)
  const ofFormat = (...formats: readonly ResultFile['format'][]) =>
    files.filter(({ format }) => formats.includes(format))
  const drafts = [ofFormat('draft_a_draft', 'draft_a_meta'), ofFormat('draft_b_draft', 'draft_b_meta')]
  const name = projectName(files)
  const folder = name === undefined ? '' : ` ${name}`
  const openable = ofFormat('xml', 'fcpxml', 'otio').map(pathOf)
  return [
    ...ofFormat('mp4').map(
      (video) =>
        `To check it, call inspect_file with file ${JSON.stringify(pathOf(video))} and preview waveform.`,
    ),
    ...(openable.length > 0 ? [`Open ${alternatives(openable)} in the editor.`] : []),
    ...drafts
      .filter(({ length }) => length > 0)
      .map((draft) => {
        const names = draft.map(({ filename }) => filename).join(' and ')
        return `Copy ${draft.map(pathOf).join(' and ')} to a new folder${folder} in the editor's folder of drafts, as ${names}.`
      }),
    ...ofFormat('gtrk').map((gtrk) => `To render ${pathOf(gtrk)}, pass its fields to video_timeline_render.`),
  ]
}

/** Name of the project, which the meta file of a draft states as its folder; undefined if no file has it. */
function projectName(files: readonly ResultFile[]): string | undefined {
  const names = files.map(({ filename }) => /^(.+-cut)(?:-transcript)?\.[^.]+$/u.exec(filename)?.[1])
  return names.find((name) => name !== undefined)
}

function alternatives(paths: readonly string[]): string {
  const last = paths.at(-1) ?? ''
  return paths.length > 1 ? `${paths.slice(0, -1).join(', ')} or ${last}` : last
}
