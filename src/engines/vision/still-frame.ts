import { MediaError } from '../../contract/errors.ts'
import type { VideoFacts } from '../../contract/media-facts.ts'
import type { Frame } from '../../media/clean/frame.ts'
import { Yuv420 } from '../../media/colour/yuv420.ts'
import { stillPicture } from '../ffmpeg/read-frames.ts'

/** Even size of a frame, pixels. */
interface StillFrameOptions {
  readonly width: number
  readonly height: number
  readonly signal: AbortSignal | undefined
}

/** Returns a still picture as displayed, scaled. Throws 6021 if it does not decode. */
export async function stillFrame(
  path: string,
  video: VideoFacts,
  options: StillFrameOptions,
): Promise<Frame> {
  const pixels = await stillPicture(path, { video, ...options })
  if (!pixels) throw new MediaError(6021, 'the picture could not be decoded')
  const { width, height } = options
  const frame = new Yuv420({ width, height })
  frame.write(pixels, { x: 0, y: 0, width, height })
  return { width, height, bytes: frame.bytes }
}
