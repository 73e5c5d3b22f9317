import { MediaError } from '../../src/contract/errors.ts'
import type { OutputOf, RunOperation } from '../../src/contract/operation.ts'
import { pathNotes, projectNotes } from '../../src/engines/cutting/footage-notes.ts'
import { clipCanvas, describedClip, planClipsRequest } from '../../src/engines/shorts/clip-request.ts'
import { planClips, type PlannedClip, type PlannedClips } from '../../src/engines/shorts/plan-clips.ts'
import { frameTime } from '../../src/media/frame-rate.ts'
import { type ClipFiles, type ClipJob, writeClipFiles } from './clip-files.ts'
import type { videoLong2short } from './contract.ts'
import type { Long2shortInput } from './plan.ts'

type Output = OutputOf<typeof videoLong2short>

/** Share of the progress taken by the selection, percent: with videos to render, with projects, and without pictures. */
const selectionPercent = { video: 40, project: 75, text: 98 }

/** Selects clips, and writes the requested files of each. */
export const run: RunOperation<typeof videoLong2short> = async (input, context) => {
  const file = context.files.get(input.file_id)
  const { facts } = file
  if (!facts) throw new MediaError(6014, `file_id: ${file.name} is not a video`)
  const percent = selectionPercent[mostWork(input)]
  const plan = await planClips(file, planClipsRequest(input, context.files), {
    ...context,
    progress: (share) => context.progress((share * percent) / 100),
  })
  const errors: Output['errors'] = {}
  const written: ClipFiles[] = []
  for (const clip of plan.clips) {
    const done = written.length
    const progress = (share: number) =>
      context.progress(percent + ((100 - percent) * (done + share / 100)) / plan.clips.length)
    const job: ClipJob = {
      ...{ input, file: { ...file, facts }, errors },
      ...{ context: { ...context, progress }, rate: plan.rate, size: clipCanvas(input.output_size) },
    }
    written.push(await writeClipFiles(clip, job))
    progress(100)
  }
  const notes = new Set([
    ...plan.notes,
    ...written.flatMap((one) => [
      ...(one.project ? projectNotes(one.project, input, facts) : []),
      ...one.notes,
    ]),
    ...pathNotes(input),
  ])
  return {
    clips: plan.clips.map((clip, index) => clipResult(clip, plan, written[index])),
    report: report(input, plan, written),
    errors,
    ...(notes.size > 0 && { notes: [...notes] }),
  }
}

function mostWork({ outputs }: Long2shortInput): keyof typeof selectionPercent {
  if (outputs.includes('video')) return 'video'
  return outputs.includes('project') ? 'project' : 'text'
}

function clipResult(
  clip: PlannedClip,
  plan: PlannedClips,
  written: ClipFiles | undefined,
): Output['clips'][number] {
  return {
    ...describedClip(clip, plan),
    segment_count: clip.ranges.length,
    total_duration_ms: Math.round(1000 * frameTime(clip.frames, plan.rate)),
    text: clip.text,
    files: [...(written?.files ?? [])],
  }
}

function report(
  { jump_cut, split_screen }: Long2shortInput,
  { counts, degraded }: PlannedClips,
  written: readonly ClipFiles[],
): Output['report'] {
  return {
    ...counts,
    ...{ jump_cut, degraded: degraded !== undefined },
    ...(split_screen.enable && { split_manifest: written.flatMap(({ split }) => split ?? []) }),
  }
}
