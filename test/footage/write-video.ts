import { runRaw } from '../../src/engines/ffmpeg/run.ts'

/** Pictures that become a video. */
export interface Drawn {
  readonly width: number
  readonly height: number
  readonly fps: number
  /** Four-byte pixels of each frame in order; its memory may be used again for the next. */
  readonly pictures: Iterable<Uint8Array>
}

const usual = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '18', '-pix_fmt', 'yuv420p']

/** Encodes pictures that are drawn into a video, with filters and an encoder where they are given. */
export async function writeVideo(
  path: string,
  drawn: Drawn,
  encoding: readonly string[] = usual,
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
