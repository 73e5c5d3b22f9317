import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { renderTimeline } from '../../../src/engines/timeline/render.ts'
import type { Rational } from '../../../src/contract/media-facts.ts'
import { hertz } from '../../../src/media/frame-rate.ts'
import type { Size } from '../../../src/media/geometry.ts'
import type { ClipFraming } from '../../../src/media/timeline/framing.ts'
import type { Timeline, TimelineClip } from '../../../src/media/timeline/timeline.ts'
import { fileIdOf, stageFiles } from '../../tasks/run-in-worker.ts'
import { ffmpeg } from '../../video-split-screen/media.ts'

let renders = 0

/** Returns the luma of every picture, as coded. */
function lumaOf(path: string): Promise<Buffer> {
  const luma = ['-vf', 'extractplanes=y', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'gray']
  return ffmpeg('-i', path, ...luma, '-')
}

/**
 * Renders clips of a file, each of so many frames from the fourth one of the file, into a folder. Returns the luma of the
 * pictures and checks their number. Without a framing the picture is contained.
 */
export async function renderFramedFile(
  folder: string,
  path: string,
  {
    rate,
    canvas,
    framings,
  }: {
    readonly rate: Rational
    readonly canvas: Size
    readonly framings: readonly (readonly [number, ClipFraming | undefined])[]
  },
) {
  const fps = hertz(rate)
  const clips: TimelineClip[] = []
  let at = 0
  for (const [frames, framing] of framings) {
    clips.push({
      ...{ requestPath: `clips[${clips.length}]`, material: fileIdOf(path), ...(framing && { framing }) },
      ...{ speed: 1, keepPitch: true, volume: 0 },
      source: { from: 3 / fps, to: (3 + frames) / fps },
      track: { from: at / fps, to: (at + frames) / fps },
    })
    at += frames
  }
  const timeline: Timeline = {
    ...{ ...canvas, rate, frames: at, seconds: at / fps, picture: clips, sound: [] },
  }
  const scratch = join(folder, `render-${(renders += 1)}`)
  await mkdir(scratch)
  const result = join(scratch, 'result.mp4')
  await renderTimeline(timeline, {
    ...{ path: result, scratch, files: await stageFiles([path]), threads: 2, crf: 6 },
    signal: new AbortController().signal,
    progress: () => {},
  })
  const pixels = await lumaOf(result)
  const frameBytes = canvas.width * canvas.height
  expect(pixels.length).toBe(at * frameBytes)
  return {
    path: result,
    frames: Array.from({ length: at }, (_, n) => pixels.subarray(n * frameBytes, (n + 1) * frameBytes)),
  }
}
