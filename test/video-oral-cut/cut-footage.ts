import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { projectFormats, type ProjectFormat } from '../../src/contract/project.ts'
import type { MediaFacts, Rational } from '../../src/contract/media-facts.ts'
import { renderTimeline } from '../../src/engines/timeline/render.ts'
import { constantRate, hertz, pictureEnd } from '../../src/media/frame-rate.ts'
import type { FrameSpan } from '../../src/media/particle/frame-spans.ts'
import { projectMaterial } from '../../src/media/timeline/project/material.ts'
import { cutProject } from '../../src/media/timeline/project/project.ts'
import { projectFiles } from '../../src/media/timeline/project/project-files.ts'
import { projectTimeline } from '../../src/media/timeline/project/project-timeline.ts'
import { editableRate } from '../../src/media/timeline/project/timecode.ts'
import { fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'

/** Footage of which some frames are kept, as projects and rendered. */
export interface CutFootage {
  readonly facts: MediaFacts
  readonly rate: Rational
  /** Frames of the picture. */
  readonly frames: number
  readonly ranges: readonly FrameSpan[]
  /** Text of the project in each format. */
  readonly projects: Readonly<Record<ProjectFormat, string>>
  /** Path of the rendered mp4. */
  readonly video: string
}

/**
 * Writes projects of ranges of a file in all formats and renders it, as the operation does. `choose` receives the number
 * of frames of the picture.
 */
export async function cutFootage(
  path: string,
  choose: (frames: number) => readonly FrameSpan[],
): Promise<CutFootage> {
  const files = await stageFiles([path])
  const { facts } = files.get(fileIdOf(path))
  if (!facts?.video) throw new Error(`${path} is not a video`)
  const rate = editableRate(constantRate(facts.video))
  const frames = Math.floor(pictureEnd(facts.video) * hertz(rate) + 1e-6)
  const ranges = choose(frames)
  const material = projectMaterial(facts, { id: fileIdOf(path), path, rate })
  const project = cutProject('cut', material, { ranges, rate })
  let ids = 0
  const newId = () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`
  const textOf = (format: ProjectFormat) =>
    projectFiles(project, format, { createdAt: 1_790_000_000_000_000, newId })[0]?.text ?? ''
  const projects = Object.fromEntries(projectFormats.map((format) => [format, textOf(format)]))
  const scratch = `${path}-cut`
  await mkdir(scratch, { recursive: true })
  const video = join(scratch, 'cut.mp4')
  await renderTimeline(projectTimeline(project), {
    ...{ path: video, files, scratch, threads: 2, crf: 18, fadeMs: 4, progress: () => {} },
    signal: new AbortController().signal,
  })
  return { facts, rate, frames, ranges, projects: projects as CutFootage['projects'], video }
}

/** Returns ranges of a length that are spread over so many frames, with gaps of varying length between them. */
export function spreadRanges(
  count: number,
  { frames, length }: { frames: number; length: number },
): FrameSpan[] {
  const step = Math.floor((frames - length) / count)
  return Array.from({ length: count }, (_, index) => {
    const first = index * step + (index % Math.max(1, step - length - 1))
    return { first, end: first + length }
  })
}
