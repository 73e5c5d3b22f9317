import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requestFiles, type RunContext, type StagedFile } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'
import {
  frameClip,
  type FramedClip,
  missingSplitNotes,
  splitFailure,
} from '../../src/engines/shorts/clip-framing.ts'
import { describedClip } from '../../src/engines/shorts/clip-request.ts'
import type { PlannedClip, PlannedClips } from '../../src/engines/shorts/plan-clips.ts'
import { renderStored } from '../../src/engines/timeline/render-stored.ts'
import { frameTime, hertz } from '../../src/media/frame-rate.ts'
import { addCameraMoves } from '../../src/media/reframe/camera-moves.ts'
import { replaceFraming } from '../../src/media/shorts/clip-project.ts'
import { clipTimeline } from '../../src/media/shorts/clip-timeline.ts'
import { seamLengths } from '../../src/media/shorts/crossfade-lengths.ts'
import type { BurnedCue } from '../../src/media/subtitles/burned-subtitles.ts'
import { clipSubtitles, type SubtitleJob } from './clip-subtitles.ts'
import type { PolishStep } from './degradations.ts'

/** What all clips of a task have in common. */
export interface FinishJob extends Omit<SubtitleJob, 'context'> {
  readonly context: RunContext
  readonly plan: PlannedClips
  /** The given video, and the one that is shown: without its subtitles, if requested. */
  readonly source: StagedFile
  readonly shown: StagedFile
}

/** A finished clip. */
export interface FinishedClip {
  readonly file: ResultFile
  /** Seconds of the source per second of the clip. */
  readonly speed: number
  readonly notes: readonly string[]
}

/** Share of the progress of a clip taken by framing. */
const framingShare = 0.25

/** What is drawn and played of a clip. */
interface ClipLook {
  readonly framed: FramedClip['ranges']
  /** Path of the .ass file. */
  readonly subtitles: string | undefined
  /** Crossfades at the cuts, ms. */
  readonly seams: readonly number[]
  readonly speed: number
}

/** A look to try, and the steps that it leaves out. */
interface RenderAttempt {
  readonly look: ClipLook
  readonly leftOut: readonly PolishStep[]
}

/**
 * Frames a clip, adds moves, subtitles and crossfades, and renders it. A step that fails is left out and recorded. Throws
 * only if the clip cannot be rendered without any of them.
 */
export async function finishClip(
  clip: PlannedClip,
  cues: readonly BurnedCue[],
  job: FinishJob,
): Promise<FinishedClip> {
  const { input, plan, context } = job
  const { ranges: still, notes: framingNotes } = await frame(clip, job)
  const look: ClipLook = {
    framed: withMoves(still, job),
    subtitles: await writeSubtitles(clip, cues, job),
    seams: clipSeams(clip, job),
    speed: input.speed.factor,
  }
  const { speed, path, notes } = await renderWithFallbacks(clip, renderAttempts(look, still), job)
  const filename = `clip${clip.index}.mp4`
  const file: ResultFile = {
    ...{ type: 'video', format: 'mp4', ...context.keep({ path, name: filename }), filename },
    duration: frameTime(Math.max(1, Math.round(clip.frames / speed)), plan.rate),
  }
  return { file, speed, notes: [...framingNotes, ...notes] }
}

interface FramingOfClip {
  readonly ranges: FramedClip['ranges']
  readonly notes: readonly string[]
}

/** Plans how the pictures of a clip fill the canvas, without moves. */
async function frame(clip: PlannedClip, job: FinishJob): Promise<FramingOfClip> {
  const { input, plan, size, source, context, degradations } = job
  const { split_screen: split, camera_move } = input
  const blurSigma = camera_move.blur_sigma
  const framed = await degradations.attempt('camera', [clip.index], () =>
    frameClip(source, clip, {
      ...{ ...context, rate: plan.rate, size, blurSigma },
      ...(split.enable && { split: { mode: 'auto', orientation: split.orientation } }),
      progress: (percent) => context.progress(percent * framingShare),
    }),
  )
  if (framed?.degraded !== undefined) degradations.add('camera', clip.index, framed.degraded)
  const failure = splitFailure(framed)
  if (split.enable && failure !== undefined) degradations.add('split', clip.index, failure)
  if (!framed) {
    const whole = { mode: 'fit', blurSigma } as const
    return { ranges: clip.ranges.map((range) => ({ ...range, framing: whole })), notes: [] }
  }
  return {
    ranges: replaceFraming(framed.ranges, framed.split),
    notes: split.enable ? missingSplitNotes(framed, clip.index) : [],
  }
}

function withMoves(still: FramedClip['ranges'], { input, plan, source }: FinishJob): FramedClip['ranges'] {
  const { enable, probability, amplitude, max_ratio: maxRatio } = input.camera_move
  const fps = hertz(plan.rate) * input.speed.factor
  return addCameraMoves(still, { enable, probability, amplitude, maxRatio, seed: source.blake3, fps })
}

/** Writes the .ass file of a clip. Returns its path; undefined without subtitles, or if they fail. */
async function writeSubtitles(
  clip: PlannedClip,
  cues: readonly BurnedCue[],
  job: FinishJob,
): Promise<string | undefined> {
  const { highlight_words } = describedClip(clip, job.plan, job.input.speed.factor)
  return await job.degradations.attempt('subtitle', [clip.index], async () => {
    const ass = await clipSubtitles(cues, highlight_words, job)
    if (ass === undefined) return undefined
    const path = join(job.context.scratch, `clip${clip.index}.ass`)
    await writeFile(path, ass)
    return path
  })
}

function clipSeams({ ranges }: PlannedClip, { input, plan, source }: FinishJob): readonly number[] {
  const { rate, heard } = plan
  return seamLengths({
    ...{ ranges, rate, words: heard.words, voices: heard.levels.map.voices },
    seconds: (source.facts?.duration_ms ?? 0) / 1000,
    ...{ speed: input.speed.factor, crossfadeMs: input.seam.crossfade_ms },
  })
}

/** The look, then without subtitles, then without any step that was requested. */
function renderAttempts(look: ClipLook, still: FramedClip['ranges']): RenderAttempt[] {
  const plain: ClipLook = { framed: still, subtitles: undefined, seams: [], speed: 1 }
  const hasMoves = look.framed.some((range, index) => range.framing !== still[index]?.framing)
  const hasSubtitles = look.subtitles !== undefined
  const hasSeams = look.seams.some((length) => length > 0)
  const leftOut: PolishStep[] = [
    ...(hasMoves ? (['camera'] as const) : []),
    ...(look.speed === 1 ? [] : (['speed'] as const)),
    ...(hasSeams ? (['seam'] as const) : []),
    ...(hasSubtitles ? (['subtitle'] as const) : []),
  ]
  return [
    { look, leftOut: [] },
    ...(hasSubtitles
      ? [{ look: { ...look, subtitles: undefined }, leftOut: ['subtitle'] } satisfies RenderAttempt]
      : []),
    ...(leftOut.some((step) => step !== 'subtitle') ? [{ look: plain, leftOut }] : []),
  ]
}

/** Renders the first look that does not fail, and records the steps that it leaves out with the first failure. */
async function renderWithFallbacks(
  clip: PlannedClip,
  attempts: readonly RenderAttempt[],
  job: FinishJob,
): Promise<{ readonly path: string; readonly speed: number; readonly notes: readonly string[] }> {
  let reason: string | undefined
  for (const [index, { look, leftOut }] of attempts.entries()) {
    try {
      const rendered = await render(clip, look, job)
      for (const step of leftOut) job.degradations.add(step, clip.index, reason ?? 'it could not be rendered')
      return { ...rendered, speed: look.speed }
    } catch (error) {
      reason ??= job.degradations.reasonOf(error)
      if (index === attempts.length - 1) throw error
    }
  }
  throw new TypeError('there is no look to render')
}

function render({ index, ranges }: PlannedClip, look: ClipLook, { plan, size, shown, context }: FinishJob) {
  const { framed, speed, seams, subtitles } = look
  const timeline = clipTimeline({
    ...{ material: shown.file_id, rate: plan.rate, size, speed, ranges, framed },
    hasSound: (shown.facts?.audio.length ?? 0) > 0,
  })
  const { steps, scratch, threads, signal } = context
  return renderStored(timeline, {
    ...{ filename: `clip${index}.mp4`, steps, scratch, threads, signal },
    files: requestFiles(new Map([[shown.file_id, shown]])),
    ...(seams.length > 0 && { fadeMs: seams }),
    ...(subtitles !== undefined && { subtitles: { path: subtitles } }),
    progress: (percent) => context.progress(100 * framingShare + percent * (1 - framingShare)),
  })
}
