import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { Frame } from '../../src/media/clean/frame.ts'

/** RGBA pictures to encode. */
interface VideoPictures {
  readonly width: number
  readonly height: number
  readonly fps: number
  /** RGBA pixels of each frame, in order. The buffer may be reused for the next frame. */
  readonly pictures: Iterable<Uint8Array>
}

const defaultEncoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '18', '-pix_fmt', 'yuv420p']

/** Encodes pictures to a video file. `encoding`: ffmpeg arguments for filters and encoder. */
export async function writeVideo(
  path: string,
  drawn: VideoPictures,
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

/** Encodes frames to a nearly lossless mp4. Returns its path. */
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
