import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultFile } from '../../src/contract/project.ts'
import type { SeparatedSource } from '../../src/engines/dubbing/separate-source.ts'
import type { SpokenLine } from '../../src/engines/dubbing/speak-lines.ts'
import { maxRenderedClips, pathNotes } from '../../src/engines/cutting/footage-notes.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { soundRate } from '../../src/engines/ffmpeg/sound-filters.ts'
import { writeProjects } from '../../src/engines/timeline/write-projects.ts'
import { alignmentRecord } from '../../src/media/dubbing/alignment.ts'
import { dubFileNames, dubProject, type DubProjectOptions } from '../../src/media/dubbing/dub-project.ts'
import type { Fit } from '../../src/media/dubbing/fit.ts'
import type { Project } from '../../src/media/timeline/project/project.ts'
import { linkOrCopy } from '../../src/platform/durable.ts'
import type { DubJob, DubOutput } from './dub-job.ts'
import { checkProjectFields } from './plan.ts'
import type { RenderedDub } from './render-dub.ts'

/** Id of the clip of a line in the record and in projects. */
const clipId = (index: number): string => `line-${index + 1}`

/** Fields of the result that name files. */
type FileFields = Omit<DubOutput, 'report' | 'errors' | 'notes'>

/** Stores the files of a dub, and writes its record and projects. `sound`: with the music to keep, if any. */
export async function keepFiles(
  rendered: RenderedDub,
  lines: readonly SpokenLine[],
  { job, sound }: { readonly job: DubJob; readonly sound: SeparatedSource | undefined },
): Promise<FileFields> {
  const { context, source, name, failures } = job
  const { video } = source.facts
  const output = context.keep({ path: rendered.output, name: `${name}.${video ? 'mp4' : 'mp3'}` })
  const dub = context.keep({ path: rendered.dub, name: dubFileNames.dub })
  const base =
    rendered.base === undefined ? undefined : context.keep({ path: rendered.base, name: dubFileNames.base })
  const music = await keepMusic(sound, job)
  const subtitle = keptOrEmpty(rendered.subtitles, `${name}.srt`, job)
  const transcript = await writeRecord(lines, rendered.fit, job)
  const files = video
    ? await failures.attempt('project', () =>
        writeDubProjects(lines, rendered, {
          ...{ job, base: base?.file_id },
          dub: { id: dub.file_id, seconds: rendered.fit.duration / 1000, channels: 1, sampleRate: soundRate },
          music: music && {
            id: music.file_id,
            seconds: sound?.seconds ?? 0,
            channels: 2,
            sampleRate: soundRate,
          },
        }),
      )
    : []
  return {
    ...{ output_file_id: output.file_id, output_file_download_url: output.download_url },
    ...{ dub_audio_file_id: dub.file_id, dub_audio_file_download_url: dub.download_url },
    ...(music && { bgm_audio_file_id: music.file_id, bgm_audio_file_download_url: music.download_url }),
    ...(base && { base_video_file_id: base.file_id, base_video_file_download_url: base.download_url }),
    ...{ subtitle_file_id: subtitle.file_id, subtitle_file_download_url: subtitle.download_url },
    ...bilingualFields(rendered, job),
    ...{ transcript_file_id: transcript.file_id, transcript_file_download_url: transcript.download_url },
    files: files ?? [],
  }
}

const noFile = { file_id: '', download_url: '' } as const

function keptOrEmpty(path: string | undefined, name: string, { context }: DubJob) {
  return path === undefined ? noFile : context.keep({ path, name })
}

function bilingualFields({ bilingualSubtitles: path }: RenderedDub, job: DubJob): Partial<FileFields> {
  if (job.input.subtitle !== 'bilingual_burn') return {}
  const { file_id, download_url } = keptOrEmpty(path, `${job.name}-bilingual.srt`, job)
  return { bilingual_subtitle_file_id: file_id, bilingual_subtitle_file_download_url: download_url }
}

async function keepMusic(sound: SeparatedSource | undefined, { context, failures }: DubJob) {
  const music = sound?.music
  if (music === undefined || music === null) return undefined
  return await failures.attempt('bgm', async () => {
    const path = join(context.scratch, dubFileNames.music)
    await linkOrCopy(music, path)
    return context.keep({ path, name: dubFileNames.music })
  })
}

/** Writes the alignment record. Lines of audio have no clips. */
async function writeRecord(lines: readonly SpokenLine[], fit: Fit, job: DubJob) {
  const { input, source, context, failures, name } = job
  const { source_lang, target_lang } = input
  const record = alignmentRecord(
    { task_type: 'video_translate_dub', source_lang, target_lang },
    lines.map(({ line, text, synth }, index) => ({
      ...{ line, text, synth, clipId: source.facts.video ? clipId(index) : '' },
    })),
    fit,
  )
  const kept = await failures.attempt('transcript', async () => {
    const path = join(context.scratch, 'alignment.json')
    await writeFile(path, JSON.stringify(record))
    return context.keep({ path, name: `${name}-alignment.json` })
  })
  return kept ?? noFile
}

interface WriteDubProjectsOptions extends Pick<DubProjectOptions, 'dub' | 'music'> {
  readonly job: DubJob
  /** Id of the video with held frames. */
  readonly base: string | undefined
}

async function writeDubProjects(
  lines: readonly SpokenLine[],
  { fit, base: basePath }: RenderedDub,
  { job, base, dub, music }: WriteDubProjectsOptions,
): Promise<ResultFile[]> {
  const { source, context, input, name } = job
  const fields = checkProjectFields(input)
  const project = dubProject(
    fit.lines.slice(0, lines.length).map(({ stMs: start, durMs }, index) => ({
      ...{ clipId: clipId(index), start, end: start + durMs },
    })),
    {
      ...{ name, dub, music, sourcePath: fields.source_path, outputDir: fields.local_output_dir },
      source: { id: source.file_id, facts: source.facts, name: source.name },
      ...(base !== undefined &&
        basePath !== undefined && {
          base: { id: base, facts: await probe(basePath, { signal: context.signal }) },
        }),
    },
  )
  job.notes.push(...projectNotes(project, fields))
  return await writeProjects(project, { ...fields, ...context })
}

function projectNotes(
  project: Project,
  { project_formats: formats = [], source_path }: ReturnType<typeof checkProjectFields>,
): string[] {
  const clips = [...project.pictureTracks, ...project.soundTracks].flat().length
  const tooMany =
    formats.includes('gtrk') && clips > maxRenderedClips
      ? [
          `the gtrk project has ${clips} clips, but a timeline is rendered with at most ${maxRenderedClips}: use the dubbed video`,
        ]
      : []
  return [...tooMany, ...pathNotes({ outputs: ['project'], project_formats: formats, source_path })]
}
