import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { MediaFacts } from '../../src/contract/media-facts.ts'
import type { OutputOf, RunContext, RunOperation, StagedFile } from '../../src/contract/operation.ts'
import type { ResultFile } from '../../src/contract/project.ts'
import { languageNotes, pathNotes, projectNotes } from '../../src/engines/cutting/footage-notes.ts'
import { writeProjects } from '../../src/engines/timeline/write-projects.ts'
import { renderTimeline } from '../../src/engines/timeline/render.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import { cutProject, projectFrames, type Project } from '../../src/media/timeline/project/project.ts'
import { projectMaterial } from '../../src/media/timeline/project/material.ts'
import { projectTimeline } from '../../src/media/timeline/project/project-timeline.ts'
import type { videoOralCut } from './contract.ts'
import { type HeardRecording, hearRecording } from '../../src/engines/cutting/hear-recording.ts'
import { type OralCut, planOralCut } from './plan-cut.ts'
import { cutNotes } from './notes.ts'
import type { OralCutInput } from './plan.ts'
import { oralCutReport } from './report.ts'
import { assistVisually } from './visual-assist.ts'

type Output = OutputOf<typeof videoOralCut>

/** Share of the progress taken by recognition, percent: all but the last seconds without a video. */
const hearingPercent = { withVideo: 50, projectsOnly: 95 }

/** Share of that taken by the analysis of the picture, if requested. */
const visualShare = 0.5

/** Recognises the footage, chooses takes, plans the cut, and writes its files. */
export const run: RunOperation<typeof videoOralCut> = async (input, context) => {
  const file = context.files.get(input.file_id)
  const { facts } = file
  if (!facts) throw new MediaError(6014, `file_id: ${file.name} is not a video`)
  const share = input.outputs.includes('video') ? hearingPercent.withVideo : hearingPercent.projectsOnly
  const hearing = input.visual_assist ? share * (1 - visualShare) : share
  const first = await hearRecording(file, input, {
    ...context,
    progress: (percent) => context.progress((percent * hearing) / 100),
  })
  const visual = input.visual_assist
    ? await assistVisually(first, file, {
        ...{ ...context, la: input.la },
        progress: (percent) => context.progress(hearing + (percent * (share - hearing)) / 100),
      })
    : undefined
  const heard = visual?.heard ?? first
  const cut = planOralCut(heard, input, facts)
  const project = oralCutProject({ ...file, facts }, cut, input)
  const errors: Output['errors'] = {}
  const notes = [
    ...languageNotes(heard.transcript.words, { field: 'la', language: input.la }),
    ...cutNotes(heard, cut),
    ...projectNotes(project, input, facts),
    ...pathNotes(input),
  ]
  if (visual?.degraded) notes.push(`visual_assist: ${visual.degraded}`)
  const files: ResultFile[] = []
  if (input.outputs.includes('project'))
    files.push(...(await writeProjects(project, { ...input, ...context })))
  if (input.outputs.includes('video')) {
    const video = await renderCut(project, { input, context, from: share })
    files.push(video.file)
    notes.push(...video.notes)
  }
  const transcript = await writeTranscript(heard, { name: project.name, context, errors })
  if (transcript) files.push(transcript)
  return {
    report: oralCutReport(heard, cut, { input, seconds: facts.duration_ms / 1000, visual }),
    ...{ files, errors },
    ...(notes.length > 0 && { notes }),
  }
}

/** A project of the kept frames. Its footage has the path that the user gave, otherwise its file name. */
function oralCutProject(
  file: StagedFile & { readonly facts: MediaFacts },
  { rate, plan }: OralCut,
  { source_path = file.name }: OralCutInput,
): Project {
  const name = `${file.name.replace(/\.[^.]+$/u, '')}-cut`
  const material = projectMaterial(file.facts, { id: file.file_id, path: source_path, rate })
  return cutProject(name, material, { ranges: plan.ranges, rate })
}

async function renderCut(
  project: Project,
  {
    input,
    context,
    from,
  }: { readonly input: OralCutInput; readonly context: RunContext; readonly from: number },
): Promise<{ readonly file: ResultFile; readonly notes: readonly string[] }> {
  const path = join(context.scratch, 'cut.mp4')
  const { crf, audio_crossfade_ms } = input.render
  const notes = await renderTimeline(projectTimeline(project), {
    ...{ path, crf, fadeMs: audio_crossfade_ms / 2 },
    ...{ files: context.files, scratch: context.scratch, threads: context.threads, signal: context.signal },
    progress: (percent) => context.progress(from + ((100 - from) * percent) / 100),
  })
  const filename = `${project.name}.mp4`
  const duration = projectFrames(project) / hertz(project.rate)
  return {
    file: { type: 'video', format: 'mp4', ...context.keep({ path, name: filename }), filename, duration },
    notes,
  }
}

/** Writes the transcript of everything that was recognised. A failure is reported and does not fail the task. */
async function writeTranscript(
  { transcript: { words, sentences, timed }, recogniser }: HeardRecording,
  {
    name,
    context,
    errors,
  }: { readonly name: string; readonly context: RunContext; readonly errors: Output['errors'] },
): Promise<ResultFile | undefined> {
  const filename = `${name}-transcript.json`
  const path = join(context.scratch, 'transcript.json')
  try {
    const content = {
      ...{ recogniser, timed },
      word_tc_list: words.map(({ text, start, end }) => ({ text, start_time: start, end_time: end })),
      sentence_tc_list: sentences.map(({ text, start, end }) => ({ text, start_time: start, end_time: end })),
    }
    await writeFile(path, JSON.stringify(content))
    return { type: 'transcript', format: 'json', ...context.keep({ path, name: filename }), filename }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    errors.transcript = 'the file could not be written'
    return undefined
  }
}
