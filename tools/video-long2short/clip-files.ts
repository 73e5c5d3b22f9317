import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { MediaFacts, Rational } from '../../src/contract/media-facts.ts'
import type { OutputOf, RunContext, StagedFile } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'
import {
  frameClip,
  type FramedClip,
  missingSplitNotes,
  splitFailure,
} from '../../src/engines/shorts/clip-framing.ts'
import type { PlannedClip } from '../../src/engines/shorts/plan-clips.ts'
import { renderStored } from '../../src/engines/timeline/render-stored.ts'
import { writeProjects } from '../../src/engines/timeline/write-projects.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import type { Size } from '../../src/media/geometry.ts'
import { clipCaptions } from '../../src/media/shorts/clip-captions.ts'
import {
  clipProject,
  overlayClips,
  partsWithin,
  replaceFraming,
} from '../../src/media/shorts/clip-project.ts'
import { srtFile } from '../../src/media/subtitles/srt-file.ts'
import { projectMaterial } from '../../src/media/timeline/project/material.ts'
import {
  type Project,
  type ProjectClip,
  projectFrames,
  type ProjectMaterial,
} from '../../src/media/timeline/project/project.ts'
import { projectTimeline } from '../../src/media/timeline/project/project-timeline.ts'
import type { videoLong2short } from './contract.ts'
import type { Long2shortInput } from './plan.ts'

type Output = OutputOf<typeof videoLong2short>
type SplitItem = NonNullable<Output['report']['split_manifest']>[number]

/** What all clips of a task have in common. */
export interface ClipJob {
  readonly input: Long2shortInput
  readonly file: StagedFile & { readonly facts: MediaFacts }
  readonly context: RunContext
  readonly rate: Rational
  /** Canvas. */
  readonly size: Size
  /** Outputs that failed, by kind. */
  readonly errors: Output['errors']
}

/** The files of a clip. */
export interface ClipFiles {
  readonly files: readonly ResultFile[]
  readonly split?: SplitItem | undefined
  readonly notes: readonly string[]
  /** Absent if no picture was requested. */
  readonly project?: Project
}

/** Shares of the progress of one clip: framing, and rendering. */
const framingShare = 0.3

/**
 * Writes the requested files of a clip: projects, video and subtitles. What fails is reported in `errors` of the job, and
 * the rest is written; only an abort is thrown. A video that an earlier attempt rendered is not rendered again.
 */
export async function writeClipFiles(clip: PlannedClip, job: ClipJob): Promise<ClipFiles> {
  const { outputs } = job.input
  const has = (kind: Long2shortInput['outputs'][number]) => outputs.includes(kind)
  const pictures = has('project') || has('video') ? await writePictures(clip, job) : undefined
  const subtitle = has('subtitle')
    ? await attempt('subtitle', { ...job, index: clip.index }, () => writeSubtitle(clip, job))
    : undefined
  return {
    files: [...(pictures?.files ?? []), ...(subtitle ? [subtitle] : [])],
    ...{ split: pictures?.split, notes: pictures?.notes ?? [] },
    ...(pictures && { project: pictures.project }),
  }
}

/** Runs a step whose failure does not fail the task. */
async function attempt<T>(
  kind: keyof Output['errors'],
  { index, errors, context }: Pick<PlannedClip, 'index'> & Pick<ClipJob, 'errors' | 'context'>,
  step: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    context.signal.throwIfAborted()
    const isOfDisk = error instanceof Error && 'syscall' in error
    if (!(error instanceof MediaError) && !isOfDisk) throw error
    const reason = error instanceof MediaError ? error.message : 'the file could not be written'
    recordFailure(kind, reason, { index, errors })
    return undefined
  }
}

/** Adds the reason why an output of a clip failed to those of other clips. */
function recordFailure(
  kind: keyof Output['errors'],
  reason: string,
  { index, errors }: Pick<PlannedClip, 'index'> & Pick<ClipJob, 'errors'>,
): void {
  const before = errors[kind]
  errors[kind] = `${before === undefined ? '' : `${before}; `}clip${index}: ${reason}`
}

async function writePictures(clip: PlannedClip, job: ClipJob) {
  const { input, context } = job
  const planned = await attempt('framing', { ...job, index: clip.index }, () => frame(clip, job))
  const framed = planned ?? blurred(clip)
  const { enable, prefer_mode: mode } = input.split_screen
  const notes = [
    ...(framed.degraded === undefined ? [] : [framed.degraded]),
    ...(planned && enable && mode !== 'single' ? missingSplitNotes(planned, clip.index) : []),
  ]
  const failure = splitFailure(planned)
  if (enable && failure !== undefined) recordFailure('split', failure, { ...job, index: clip.index })
  const material = footage(job)
  const options = { name: nameOf(clip, job), material, rate: job.rate, size: job.size }
  const hasProject = input.outputs.includes('project')
  const split =
    hasProject && framed.split.length > 0
      ? await attempt('split', { ...job, index: clip.index }, () => renderSplit(clip, framed, job))
      : undefined
  const project = clipProject({ ...options, ranges: framed.ranges }, split?.overlay)
  const files: ResultFile[] = []
  if (hasProject) {
    const written = await attempt('project', { ...job, index: clip.index }, () =>
      writeProjects(project, { ...input, ...context, prefix: prefixOf(clip) }),
    )
    files.push(...(written ?? []))
  }
  if (input.outputs.includes('video')) {
    const shown = clipProject({ ...options, ranges: replaceFraming(framed.ranges, framed.split) })
    const video = await attempt('video', { ...job, index: clip.index }, () => renderVideo(clip, shown, job))
    if (video) files.push(video.file)
    notes.push(...(video?.notes ?? []))
  }
  return { files, split: split?.item, notes, project }
}

const prefixOf = ({ index }: PlannedClip) => `clip${index}_`

/** Most characters of the name of the video in those of projects. */
const maxNameLength = 60

function nameOf(clip: PlannedClip, { file: { name } }: ClipJob): string {
  const base = [...name.replace(/\.[^.]+$/u, '')].slice(0, maxNameLength).join('')
  return `${prefixOf(clip)}${base}`
}

function frame(clip: PlannedClip, { file, context, input, rate, size }: ClipJob): Promise<FramedClip> {
  const { enable, prefer_mode: mode, orientation } = input.split_screen
  return frameClip(file, clip, {
    ...{ rate, size, ...context },
    ...(enable && { split: { mode, orientation } }),
    progress: (percent) => context.progress(percent * framingShare),
  })
}

/** The whole picture over its blurred copy. */
function blurred({ ranges }: PlannedClip): FramedClip {
  return { ranges: ranges.map((range) => ({ ...range, framing: { mode: 'fit', blurSigma: 40 } })), split: [] }
}

function footage({ file, input, rate }: ClipJob): ProjectMaterial {
  return projectMaterial(file.facts, { id: file.file_id, path: input.source_path ?? file.name, rate })
}

/** Renders the split screens of a clip, one after another, and returns their clips for the overlay track. */
async function renderSplit(
  clip: PlannedClip,
  { ranges, split }: FramedClip,
  job: ClipJob,
): Promise<{ readonly item: SplitItem; readonly overlay: readonly ProjectClip[] }> {
  const filename = `${prefixOf(clip)}split.mp4`
  const parts = ranges.flatMap((range) => partsWithin(range, split))
  const { rate, size, context } = job
  const material = { ...footage(job), sound: null }
  const silent = clipProject({ name: filename, material, rate, size, ranges: parts })
  const { path } = await renderOnce(silent, filename, { ...job, hasSound: false })
  const kept = context.keep({ path, name: filename })
  const local = beside(job.input.source_path ?? filename, filename)
  const overlay: ProjectMaterial = {
    ...{ id: kept.file_id, name: filename, path: local, frames: projectFrames(silent) },
    ...{ picture: size, sound: null, timecodeStart: 0, dropFrame: false },
  }
  return {
    item: { ...kept, filename, path: local, clip: clip.index },
    overlay: overlayClips(overlay, ranges, split),
  }
}

/** Path of a file in the folder of another one, POSIX or Windows. */
function beside(path: string, filename: string): string {
  const [folder = ''] = /^.*[/\\]/su.exec(path) ?? []
  return folder + filename
}

async function renderVideo(clip: PlannedClip, project: Project, job: ClipJob) {
  const filename = `clip${clip.index}.mp4`
  const { path, notes } = await renderOnce(project, filename, job)
  const file: ResultFile = {
    ...{ type: 'video', format: 'mp4', filename },
    ...job.context.keep({ path, name: filename }),
    duration: projectFrames(project) / hertz(project.rate),
  }
  return { file, notes }
}

/** Renders a project, unless an earlier attempt did. Returns its path in the scratch folder. */
function renderOnce(
  project: Project,
  filename: string,
  { context, hasSound = true }: Pick<ClipJob, 'context'> & { readonly hasSound?: boolean },
) {
  return renderStored(projectTimeline(project), {
    ...{ filename, hasSound, ...context },
    progress: (percent) => context.progress(100 * framingShare + percent * (1 - framingShare)),
  })
}

/** Writes the subtitles of a clip. Throws 6016 if nothing is said in it. */
async function writeSubtitle(
  clip: PlannedClip,
  { context, input, rate, size }: ClipJob,
): Promise<ResultFile> {
  const filename = `clip${clip.index}.srt`
  const cues = clipCaptions(clip.words, {
    ...{ ranges: clip.ranges, rate, size, strip: input.subtitle.strip_punctuation },
  })
  if (cues.length === 0) throw new MediaError(6016, 'it has no words')
  const path = join(context.scratch, filename)
  await writeFile(path, srtFile(cues))
  return { type: 'subtitle', format: 'srt', ...context.keep({ path, name: filename }), filename }
}
