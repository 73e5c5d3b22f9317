import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunContext } from '../../src/contract/operation.ts'
import { bt709, bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { fileUrl, inputArgs, runWithReports } from '../../src/engines/ffmpeg/run.ts'
import { soundFilters, type Sound } from '../../src/engines/ffmpeg/sound.ts'
import type { Moment } from '../../src/media/audio/moments.ts'
import type { Drawn } from './frames.ts'
import type { Box } from './scene.ts'

/** A result of which everything is decided. */
export interface Film {
  readonly drawn: Drawn
  readonly moments: AsyncIterable<Moment>
  readonly width: number
  readonly height: number
  readonly fps: number
  readonly frames: number
  readonly sound: Sound
}

/**
 * How the picture is encoded. CRF 18 keeps the grain that smooths dark gradients. Of drawn shapes on a background
 * that stands still, finer motion search and weighted prediction gained nothing: the same size and likeness in
 * 70 % of the time.
 */
export const encoderArgs: readonly string[] = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-pix_fmt', 'yuv420p'],
  ...['-x264-params', 'subme=1:weightp=0:partitions=i4x4,i8x8:bframes=2'],
]

/** From drawn pixels to what every frame is coded as. */
const coded = `scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,setparams=${bt709}`

/** Encodes the film to an mp4 at `path` while it is drawn; `onFrames` is told how many frames are done. */
export async function encode(
  film: Film,
  context: Pick<RunContext, 'scratch' | 'signal' | 'threads'>,
  { path, timeoutMs, onFrames }: { path: string; timeoutMs: number; onFrames: (frames: number) => void },
): Promise<void> {
  const { drawn, fps, frames, sound } = film
  const raw = (box: Pick<Box, 'width' | 'height'>) => [
    ...['-f', 'rawvideo', '-pix_fmt', 'rgba'],
    ...['-video_size', `${box.width}x${box.height}`, '-framerate', String(fps)],
  ]
  const still = drawn.still && join(context.scratch, 'still.rgba')
  if (still && drawn.still) await writeFile(still, drawn.still)
  await runWithReports(
    {
      input: drawn.frames(film.moments),
      args: [
        ...[...raw(drawn.region), '-i', 'pipe:0'],
        ...inputArgs(sound.path),
        ...(still ? [...raw(film), '-i', fileUrl(still)] : []),
        ...['-filter_complex', `${pictureGraph(film)};[1:a:0]${soundFilters(sound)}[a]`],
        ...['-map', '[v]', ...encoderArgs, ...bt709Tags],
        ...['-threads', String(context.threads), '-r', String(fps)],
        ...['-map', '[a]', '-c:a', 'aac', '-b:a', '192k'],
        // Half a frame more, so that rounding never takes the last one: the graphs end by themselves.
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

/** Lays what moves over one frame of what stands still; ends in [v]. */
function pictureGraph({ drawn, frames }: Film): string {
  if (!drawn.still) return `[0:v]${coded}[v]`
  const { x, y } = drawn.region
  const end = `overlay=x=${x}:y=${y}:format=yuv420,trim=end_frame=${frames}`
  return `[2:v]${coded},loop=loop=-1:size=1[still];[0:v]${coded}[moving];[still][moving]${end}[v]`
}
