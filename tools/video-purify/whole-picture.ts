import { MediaError } from '../../src/contract/errors.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { pictureStream, type PictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { constantRate, firstFrameIndex, hertz } from '../../src/media/frame-rate.ts'
import type { Stretch } from './part.ts'

/** The picture of a video, and all its frames, counted from the start of the file. */
export interface WholePicture extends Footage, Stretch {
  readonly stream: PictureStream
}

/** A video as it is to be treated: its picture at a constant rate. */
export async function wholePicture({ path, facts }: StagedFile, signal: AbortSignal): Promise<WholePicture> {
  const video = facts?.video
  if (!video) throw new MediaError(6014, 'the file holds no picture')
  const rate = constantRate(video)
  const stream = await pictureStream(path, video, { signal })
  const count = Math.max(1, Math.round(stream.lasts * hertz(rate)))
  return { path, video, stream, rate, first: firstFrameIndex(video, rate), count }
}
