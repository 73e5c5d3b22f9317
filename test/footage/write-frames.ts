import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { Frame } from '../../src/media/clean/frame.ts'

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
