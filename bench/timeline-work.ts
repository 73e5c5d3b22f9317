import { noLibrary } from '../test/tasks/no-library.ts'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { requestFiles, type RequestFiles, type StagedFile } from '../src/contract/operation.ts'
import { meanSeekDistance } from '../src/engines/ffmpeg/quick-probe.ts'
import { ffmpeg } from '../test/video-split-screen/media.ts'
import { fileIdOf, stageFiles } from '../test/tasks/run-in-worker.ts'
import { consecutiveClips, request } from '../test/video-timeline-render/render.ts'
import type { Cut } from '../test/video-timeline-render/render.ts'
import { videoTimelineRender } from '../tools/video-timeline-render/contract.ts'
import { plan } from '../tools/video-timeline-render/plan.ts'
import { run } from '../tools/video-timeline-render/run.ts'

/** Width, height and frame rate of the output. */
export const [width, height, rate] = [1280, 720, 30]

/** Threads that a render may use. */
export const threads = 2

/** Returns a request that plays cuts one after another. */
export function requestOfCuts(cuts: readonly Cut[]): ReturnType<typeof request> {
  return request({ size: [width, height], rate, picture: consecutiveClips(cuts) })
}

/** Creates videos of 15 s at three frame rates: moving pictures with grain, and a tone. */
export async function createSources(folder: string, gop: number, size = '1920x1080'): Promise<string[]> {
  const paths: string[] = []
  for (const [index, frames] of ['30', '24000/1001', '25'].entries()) {
    const path = join(folder, `source-${size}-${gop}-${index}.mp4`)
    const picture = `testsrc2=s=${size}:r=${frames},hue=h=${index * 40},noise=alls=6:allf=t`
    await ffmpeg(
      ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=${300 + 100 * index}`],
      ...['-t', '15', '-c:v', 'libx264', '-preset', 'superfast', '-crf', '26', '-pix_fmt', 'yuv420p'],
      ...['-g', String(gop), '-c:a', 'aac', path],
    )
    paths.push(path)
  }
  return paths
}

/** A validated render that can be run repeatedly, and its estimated duration. */
export interface PreparedRender {
  readonly run: () => Promise<void>
  readonly seconds: number
}

/** Probes the files of a request whose material ids are paths, and plans it. Renders to `folder`. */
export async function prepareRender(
  body: ReturnType<typeof request>,
  folder: string,
): Promise<PreparedRender> {
  const files = await inspect(body.materials.map(({ id }) => id))
  const input = videoTimelineRender.input.parse(body)
  const scratch = join(folder, 'ours')
  return {
    seconds: plan(input, files).seconds,
    async run() {
      await mkdir(scratch, { recursive: true })
      await run(input, {
        ...{ files, taskId: '1', scratch, steps: scratch, threads, signal: new AbortController().signal },
        progress: () => {},
        library: noLibrary,
        keep: () => ({ file_id: '1', download_url: '' }),
      })
    },
  }
}

/** Probes files like the service does before it estimates. */
async function inspect(paths: readonly string[]): Promise<RequestFiles<StagedFile>> {
  const files = new Map<string, StagedFile>()
  const stagedFiles = await stageFiles(paths)
  for (const path of paths) {
    const file = stagedFiles.get(fileIdOf(path))
    const { facts } = file
    const seek = facts?.video && (await meanSeekDistance(path, facts.duration_ms, {}))
    const known = facts?.video && seek ? { ...facts, video: { ...facts.video, seek_ms: seek } } : facts
    files.set(file.file_id, { ...file, facts: known })
  }
  return requestFiles(files)
}
