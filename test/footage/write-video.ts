import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { Frame } from '../../src/media/clean/frame.ts'

/** Pictures that become a video. */
interface Drawn {
  readonly width: number
  readonly height: number
  readonly fps: number
  /** Four-byte pixels of each frame in order; its memory may be used again for the next. */
  readonly pictures: Iterable<Uint8Array>
}

const defaultEncoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '18', '-pix_fmt', 'yuv420p']

/** Encodes pictures that are drawn into a video, with filters and an encoder where they are given. */
export async function writeVideo(
  path: string,
  drawn: Drawn,
  encoding: readonly string[] = defaultEncoding,
): Promise<void> {
  const size = `${drawn.width}x${drawn.height}`
  async function* input() {
    for (const picture of drawn.pictures) yield picture
  }
  await runRaw({
    args: [
      ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-video_size', size, '-framerate', String(drawn.fps)],
      ...['-i', 'pipe:0', ...encoding, path],
    ],
    input: input(),
    timeoutMs: 600_000,
  })
}

/** Encodes frames into an mp4, near to lossless. */
export async function writeFrames(path: string, frames: readonly Frame[], fps: number): Promise<string> {
  const [{ width, height } = { width: 0, height: 0 }] = frames
  async function* input() {
    for (const { bytes } of frames) yield await Promise.resolve(bytes)
  }
  await runRaw({
    args: [
      ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${width}x${height}`],
      ...['-framerate', String(fps), '-i', 'pipe:0'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '8', '-pix_fmt', 'yuv420p', path],
    ],
    input: input(),
    timeoutMs: 600_000,
  })
  return path
}
