import type { RunContext } from '../../src/contract/operation.ts'
import { bt709, bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { inputArgs, runWithReports } from '../../src/engines/ffmpeg/run.ts'
import { soundFilters, type Sound } from '../../src/engines/ffmpeg/sound.ts'
import type { Moment } from '../../src/media/audio/moments.ts'
import { codedFrames } from './coded-frames.ts'
import type { Drawn } from './frames.ts'

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
 * How the picture is encoded. Of drawn shapes on a background that mostly stands still, motion search between pixels,
 * B-frames and a long look ahead gained nothing that is seen, and took as long as all the rest; adaptive quantisation
 * spent a third of the bytes on the grain, which CRF 17 keeps all the same.
 */
export const encoderArgs: readonly string[] = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '17', '-pix_fmt', 'yuv420p', '-x264-params'],
  'subme=0:partitions=i4x4,i8x8:bframes=0:weightp=0:aq-mode=0:rc-lookahead=3:scenecut=0',
]

/** Encodes the film to an mp4 at `path` while it is drawn; `onFrames` is told how many frames are done. */
export async function encode(
  film: Film,
  context: Pick<RunContext, 'scratch' | 'signal' | 'threads'>,
  { path, timeoutMs, onFrames }: { path: string; timeoutMs: number; onFrames: (frames: number) => void },
): Promise<void> {
  const { width, height, fps, frames, sound } = film
  await runWithReports(
    {
      input: codedFrames(film),
      args: [
        ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${width}x${height}`],
        ...['-framerate', String(fps), '-i', 'pipe:0', ...inputArgs(sound.path)],
        ...['-filter_complex', `[0:v]setparams=${bt709}[v];[1:a:0]${soundFilters(sound)}[a]`],
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
