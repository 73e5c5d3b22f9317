import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { OutputOf, RunContext, RunOperation, StagedFile } from '../../src/contract/operation.ts'
import { removeSubtitles } from '../../src/engines/clean/remove-subtitles.ts'
import { clipCanvas, describedClip, planClipsRequest } from '../../src/engines/shorts/clip-request.ts'
import { planClips, type PlannedClips } from '../../src/engines/shorts/plan-clips.ts'
import { constantRate, frameTime, hertz } from '../../src/media/frame-rate.ts'
import type { BurnedCue } from '../../src/media/subtitles/burned-subtitles.ts'
import { subtitleCues, translationNotes } from './clip-subtitles.ts'
import type { videoLong2shortPro } from './contract.ts'
import { Degradations } from './degradations.ts'
import { finishClip, type FinishedClip, type FinishJob } from './finish-clip.ts'
import type { Long2shortProInput } from './plan.ts'

type Output = OutputOf<typeof videoLong2shortPro>

/** Progress at the end of each stage, percent; of the removal of subtitles only if it is requested. */
const stages = { selected: 35, cleaned: 60, translated: 65 } as const

/** Selects clips, and finishes each of them. */
export const run: RunOperation<typeof videoLong2shortPro> = async (input, context) => {
  const source = context.files.get(input.file_id)
  if (!source.facts?.video) throw new MediaError(6014, `file_id: ${source.name} is not a video`)
  const plan = await planClips(
    source,
    planClipsRequest(input, context.files),
    stage(context, 0, stages.selected),
  )
  const degradations = new Degradations(context.signal)
  if (plan.degraded !== undefined)
    for (const { index } of plan.clips) degradations.add('selection', index, plan.degraded)
  const { purify_source } = input.subtitle
  const shown = purify_source
    ? await cleanSource(source, plan, {
        context: stage(context, stages.selected, stages.cleaned),
        degradations,
      })
    : source
  const from = purify_source ? stages.cleaned : stages.selected
  const job: FinishJob = {
    ...{ input, plan, source, shown, degradations, rate: plan.rate, size: clipCanvas(input.output_size) },
    context: stage(context, from, stages.translated),
  }
  const cues = await subtitleCues(plan.clips, job)
  return result(input, plan, { finished: await finishClips(cues, job, context), degradations })
}

/** Finishes the clips one after another. Those that cannot be rendered are left out; throws if there is no other one. */
async function finishClips(
  cues: ReadonlyMap<number, readonly BurnedCue[]>,
  job: FinishJob,
  context: RunContext,
): Promise<Map<number, FinishedClip>> {
  const { clips } = job.plan
  const finished = new Map<number, FinishedClip>()
  let failure: unknown
  for (const [done, clip] of clips.entries()) {
    const at = (count: number) => stages.translated + ((100 - stages.translated) * count) / clips.length
    const own = { ...job, context: stage(context, at(done), at(done + 1)) }
    try {
      finished.set(clip.index, await finishClip(clip, cues.get(clip.index) ?? [], own))
    } catch (error) {
      const reason = job.degradations.reasonOf(error)
      job.degradations.add('camera', clip.index, `left out, because it could not be rendered: ${reason}`)
      failure ??= error
    }
  }
  if (finished.size === 0) throw failure
  return finished
}

/** The context of a stage, whose progress is a part of the whole. */
function stage(context: RunContext, from: number, to: number): RunContext {
  return { ...context, progress: (percent) => context.progress(from + ((to - from) * percent) / 100) }
}

/** Removes burned-in subtitles from the frames of all clips. Returns the video itself if that fails. */
async function cleanSource(
  source: StagedFile,
  { clips, rate }: PlannedClips,
  { context, degradations }: { readonly context: RunContext; readonly degradations: Degradations },
): Promise<StagedFile> {
  const { scratch, threads, signal, progress } = context
  const steps = join(context.steps, 'clean')
  await mkdir(steps, { recursive: true })
  const own = source.facts?.video ? hertz(constantRate(source.facts.video)) : hertz(rate)
  const ranges = clips.flatMap((clip) =>
    clip.ranges.map((range) => {
      const first = Math.floor(frameTime(range.first, rate) * own)
      return { first, count: Math.max(1, Math.ceil(frameTime(range.end, rate) * own) - first) }
    }),
  )
  const indexes = clips.map(({ index }) => index)
  const cleaned = await degradations.attempt('subtitle', indexes, () =>
    removeSubtitles(source, { ranges, scratch, steps, threads, signal, progress }),
  )
  return cleaned?.file ?? source
}

function result(
  input: Long2shortProInput,
  plan: PlannedClips,
  {
    finished,
    degradations,
  }: { readonly finished: ReadonlyMap<number, FinishedClip>; readonly degradations: Degradations },
): Output {
  const errors = degradations.errors(plan.clips.length)
  const remarks = plan.notes.filter((note) => note !== plan.degraded)
  const notes = new Set([
    ...remarks,
    ...translationNotes(input),
    ...[...finished.values()].flatMap((clip) => clip.notes),
  ])
  return {
    clips: plan.clips.flatMap((clip) => {
      const { file, speed } = finished.get(clip.index) ?? {}
      return file ? [{ ...describedClip(clip, plan, speed), file }] : []
    }),
    report: {
      ...{ ...plan.counts, clip_count: finished.size, jump_cut: input.jump_cut },
      ...{ degraded: Object.keys(errors).length > 0, degraded_items: degradations.items() },
    },
    errors,
    ...(notes.size > 0 && { notes: [...notes] }),
  }
}
