import type { RunContext } from '../../src/contract/operation.ts'
import { bt709, bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { inputArgs, runWithReports } from '../../src/engines/ffmpeg/run.ts'
import { soundFilters, type Sound } from '../../src/engines/ffmpeg/sound.ts'
import type { Moment } from '../../src/media/audio/moments.ts'
import { overlay, Yuv420 } from '../../src/media/colour/yuv420.ts'
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

/**
 * Whole frames as the encoder takes them. To work them out here costs less than to send four-byte pixels and have
 * ffmpeg scale and overlay them: less than half as much goes through the pipe, and what stands still is left. Each in the memory of the one before.
 */
export async function* codedFrames({
  drawn,
  moments,
  width,
  height,
}: Pick<Film, 'drawn' | 'moments' | 'width' | 'height'>): AsyncGenerator<Uint8Array> {
  const { still, region, over } = drawn
  const frame = new Yuv420({ width, height })
  if (still) frame.write(still, { x: 0, y: 0, width, height })
  const words = over && overlay(over.pixels, over.box, { width, height })
  let before: Uint8Array | undefined
  for await (const pixels of drawn.frames(moments)) {
    if (drawn.scale === 2) frame.writeDoubled(pixels)
    else frame.write(pixels, region, still && before)
    if (words) frame.lay(words)
    before = pixels
    yield frame.bytes
  }
}
