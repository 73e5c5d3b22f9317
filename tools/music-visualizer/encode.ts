import { on } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunContext } from '../../src/contract/operation.ts'
import { bt709, bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { fileUrl, inputArgs, runWithReports } from '../../src/engines/ffmpeg/run.ts'
import { type StereoSound, soundFilters } from '../../src/engines/ffmpeg/sound.ts'
import type { AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { startThread } from '../../src/platform/runtime.ts'
import type { CodingJob, PictureDrawn } from './coding-thread.ts'
import { frameSlots, pictureSlots, rawFormat, rawFrameBytes, sharedSlot } from './frame-coder.ts'
import type { PreparedDrawing } from './frames.ts'

/** Everything needed to encode a video. */
interface VisualizerVideo {
  readonly drawn: PreparedDrawing
  readonly moments: AsyncIterable<AudioFeatures>
  readonly width: number
  readonly height: number
  readonly fps: number
  readonly frames: number
  readonly sound: StereoSound
}

/**
 * Video encoder options: a constant quantiser, finer for key frames because most of the picture is still after them.
 * Quality and size match CRF 17: 46.3 and 46.2 dB, 0.98 and 1.01 MB for 10 s of bars; 46.6 and 47.7 dB, 0.85 and 1.20 MB
 * with a talking head as background. CRF's lookahead took a quarter of the time. Subpixel motion search, partitions and
 * B-frames took another quarter without a visible effect.
 */
export const visualizerEncoderArgs: readonly string[] = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-qp', '22', '-pix_fmt', 'yuv420p', '-x264-params'],
  'ipratio=2.5:me=dia:subme=0:partitions=none:bframes=0:weightp=0:aq-mode=0:scenecut=0',
]

/** ffmpeg options of a raw video input. */
function rawPixels(format: string, { width, height }: { width: number; height: number }): string[] {
  return ['-f', 'rawvideo', '-pix_fmt', format, '-video_size', `${width}x${height}`]
}

/** Filter graph from sent frames and the still overlay to the encoded picture; ends in [v]. */
function pictureFilters({ drawn: { still, overlay }, width, height }: VisualizerVideo): string {
  if (still) return `[0:v]setparams=${bt709}[v]`
  const matrix = 'out_color_matrix=bt709:out_range=tv'
  const moving = `[0:v]scale=${width}:${height}:flags=bilinear+full_chroma_inp:${matrix},format=yuv420p`
  if (!overlay) return `${moving},setparams=${bt709}[v]`
  return [
    `${moving}[moving]`,
    `[2:v]scale=${matrix},format=yuva420p[over]`,
    `[moving][over]overlay=x=${overlay.box.x}:y=${overlay.box.y}:format=yuv420,setparams=${bt709}[v]`,
  ].join(';')
}

/** Draws and encodes a video to an mp4 at `path`. onFrames: called with the number of encoded frames. */
export async function encodeVisualizer(
  video: VisualizerVideo,
  context: Pick<RunContext, 'scratch' | 'signal' | 'threads'>,
  { path, timeoutMs, onFrames }: { path: string; timeoutMs: number; onFrames: (frames: number) => void },
): Promise<void> {
  const { drawn, width, height, fps, frames, sound } = video
  const form = rawFormat({ ...drawn, width, height })
  const overlay = drawn.overlay && { ...drawn.overlay, path: join(context.scratch, 'over.rgba') }
  if (overlay) await writeFile(overlay.path, overlay.pixels)
  await runWithReports(
    {
      input: rawFrames(video),
      args: [
        ...[...rawPixels(form.format, form), '-framerate', String(fps), '-i', 'pipe:0'],
        ...inputArgs(sound.path),
        ...(overlay ? [...rawPixels('rgba', overlay.box), '-i', fileUrl(overlay.path)] : []),
        ...['-filter_complex_threads', String(context.threads)],
        ...['-filter_complex', `${pictureFilters(video)};[1:a:0]${soundFilters(sound)}[a]`],
        ...['-map', '[v]', ...visualizerEncoderArgs, ...bt709Tags],
        ...['-threads', String(context.threads), '-r', String(fps)],
        ...['-map', '[a]', '-c:a', 'aac', '-b:a', '192k'],
        // Half a frame more, so that rounding never drops the last frame; the graphs end on their own.
        ...['-t', ((frames + 0.5) / fps).toFixed(6)],
        ...['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart', path],
      ],
      cwd: context.scratch,
      signal: context.signal,
      timeoutMs,
    },
    (report) => onFrames(report.frames),
  )
}

interface RawFramesOptions {
  readonly drawn: PreparedDrawing
  readonly moments: AsyncIterable<AudioFeatures>
  readonly width: number
  readonly height: number
}

/**
 * Yields frames in the format of `rawFormat`. A thread converts each one while the next picture is drawn. A yielded frame
 * is valid until the next one is requested.
 */
export async function* rawFrames({
  drawn,
  moments,
  width,
  height,
}: RawFramesOptions): AsyncGenerator<Uint8Array> {
  const { still, region, scale, sidePadding } = drawn
  const plate = { still, region, scale, sidePadding, width, height }
  const job: CodingJob = {
    plate,
    pictures: new SharedArrayBuffer(
      pictureSlots * 4 * (region.width / scale + 2 * sidePadding) * (region.height / scale),
    ),
    frames: new SharedArrayBuffer(frameSlots * rawFrameBytes(rawFormat(plate))),
  }
  const worker = startThread(new URL('./coding-thread', import.meta.url), job)
  // If the thread fails, waiting for its message rejects.
  const converted = on(worker, 'message')
  let [sent, received] = [0, 0]
  const nextFrame = async () => {
    await converted.next()
    received += 1
    return sharedSlot(job.frames, received - 1, frameSlots)
  }
  try {
    for await (const { pixels, channelShift } of drawn.frames(moments)) {
      sharedSlot(job.pictures, sent, pictureSlots).set(pixels)
      worker.postMessage({ channelShift } satisfies PictureDrawn, [])
      sent += 1
      if (sent === received + frameSlots) yield await nextFrame()
    }
    while (received < sent) yield await nextFrame()
  } finally {
    await worker.terminate()
  }
}
