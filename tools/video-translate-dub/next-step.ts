import { summarizeList } from '../../src/contract/format.ts'
import type { NextStepContext } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'
import { dubFileNames } from '../../src/media/dubbing/dub-project.ts'
import { pathInFolder } from '../../src/media/timeline/project/media-url.ts'
import { type Doubt, type DoubtfulLine, worstFirst } from './doubts.ts'

/** Parts of a result that the next step describes. */
interface DubResult {
  readonly report: {
    readonly target_lang: string
    readonly input_kind: 'video' | 'audio'
    readonly fit_policy: 'strict' | 'natural'
    readonly lines_count: number
    readonly output_duration_ms: number
    readonly doubtful_lines: readonly DoubtfulLine[]
  }
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly files: readonly ResultFile[]
  readonly output_file_id: string
  readonly dub_audio_file_id: string
  readonly bgm_audio_file_id?: string | undefined
  readonly base_video_file_id?: string | undefined
  readonly transcript_file_id: string
}

/** Most doubtful lines that are named; the report lists all. */
const maxNamed = 4

/** What happened to a line, by the reason of the doubt. */
const doubtTexts: Readonly<Record<Doubt, string>> = {
  untranslated: 'silent: no translation',
  unspoken: 'silent: the voice did not speak it',
  over_band: 'its end is cut off',
  words_lost: 'words may be missing',
  words_added: 'other words were heard, such as a repetition',
  trimmed: 'its end is trimmed',
  rewritten_twice: 'rewritten twice to fit',
}

/** Returns the instruction after a dub: which lines to check, what failed, and what to tell the user. */
export function describeDub(output: DubResult, { nameFile, input }: NextStepContext): string {
  const { report, errors, files } = output
  const failed = Object.entries(errors).flatMap(([name, reason]) =>
    reason === undefined ? [] : [`${name}: ${reason}`],
  )
  return [
    `${report.lines_count === 1 ? '1 line' : `${report.lines_count} lines`} in ${report.target_lang}, ${Math.round(report.output_duration_ms / 1000)} s.`,
    ...checkSteps(output, { nameFile, input }),
    ...(failed.length > 0 ? [`Failed: ${failed.join('. ')}.`] : []),
    ...(files.length > 0 ? [mediaOfProjects(output, { nameFile, input })] : []),
    'Tell the user the path, and to label what is published as AI-generated.',
  ].join(' ')
}

/** Returns where the media of projects must be, and which of them have no path there. */
function mediaOfProjects(output: DubResult, { nameFile, input }: NextStepContext): string {
  const { dub_audio_file_id: dub, bgm_audio_file_id: music, base_video_file_id: base } = output
  const media = Object.entries({
    [dubFileNames.dub]: dub,
    [dubFileNames.music]: music,
    [dubFileNames.base]: base,
  }).flatMap(([name, id]) => (id === undefined ? [] : [{ name, saved: nameFile(id) }]))
  const isMissing = (field: string) => input !== undefined && input[field] === undefined
  const sourceStep =
    isMissing('source_path') && base === undefined
      ? ['The projects have no path of the video, as source_path was not given: link it in the editor.']
      : []
  const otherStep = isMissing('local_output_dir')
    ? `The projects have no folder of their other media, as local_output_dir was not given: link ${listMedia(media)} in the editor.`
    : placeMedia(media, input?.['local_output_dir'])
  return [...sourceStep, otherStep].join(' ')
}

/** A file that projects play under a name, and where it is saved. */
interface ProjectMedia {
  readonly name: string
  readonly saved: string
}

function listMedia(media: readonly ProjectMedia[]): string {
  return media.map(({ name, saved }) => `${JSON.stringify(saved)} as ${name}`).join(', ')
}

/** Returns which files must still be saved in the folder of the projects. */
function placeMedia(media: readonly ProjectMedia[], folder: unknown): string {
  const isInPlace = ({ name, saved }: ProjectMedia) =>
    typeof folder === 'string' && saved === pathInFolder(folder, name)
  const others = media.filter((file) => !isInPlace(file))
  if (others.length === 0)
    return `The projects play ${media.map(({ name }) => name).join(', ')} in local_output_dir, where they are.`
  // A file of an earlier dub in the same folder is not overwritten: this one got another name.
  const isRenamed = others.some(({ name, saved }) => /[^/\\]+$/.exec(saved)?.[0] !== name)
  const otherwise = isRenamed ? ', or link it in the editor if that name is taken by another dub' : ''
  return `The projects play what is in local_output_dir under these names: save ${listMedia(others)} there${otherwise}.`
}

function checkSteps(
  { report, output_file_id, transcript_file_id }: DubResult,
  { nameFile, input }: NextStepContext,
): string[] {
  const video = JSON.stringify(nameFile(output_file_id))
  const inspect = `call inspect_file with file ${video} and preview waveform`
  const doubtful = worstFirst(report.doubtful_lines)
  if (doubtful.length === 0) return [`To check it, ${inspect}.`]
  const named = doubtful.map(
    ({ st_ms, reasons }) =>
      `${(st_ms / 1000).toFixed(1)} s (${reasons.map((reason) => doubtTexts[reason]).join(', ')})`,
  )
  const record =
    transcript_file_id === '' ? '' : `, and their texts in ${JSON.stringify(nameFile(transcript_file_id))}`
  return [
    `Check the lines at ${summarizeList(named, maxNamed, ', ')}: ${inspect}${record}.`,
    ...timeSteps(report, input),
  ]
}

/** Greatest speed of a band that requests accept. */
const maxProposedSpeed = 1.3

/** What gives more time to lines whose ends are lost. */
function timeSteps(
  { doubtful_lines, input_kind, fit_policy }: DubResult['report'],
  input: NextStepContext['input'],
): string[] {
  if (!doubtful_lines.some(({ reasons }) => reasons.includes('over_band') || reasons.includes('trimmed')))
    return []
  const [, max = 0] = (input?.['speed_band'] ?? []) as readonly number[]
  const steps = [
    ...(max < maxProposedSpeed ? [`a wider speed_band, such as [0.95, ${maxProposedSpeed}],`] : []),
    ...(input_kind === 'video' && fit_policy === 'strict' ? ['fit_policy natural'] : []),
  ]
  if (steps.length === 0) return ['More time for them needs shorter translations.']
  return [`If words are lost, ${steps.join(' or ')} gives them more time.`]
}
