import { MediaError } from '../../contract/errors.ts'
import type { StagedFile } from '../../contract/operation.ts'
import type { Footage } from '../ffmpeg/decode-frames.ts'
import { pictureStream, type PictureStream } from '../ffmpeg/picture-stream.ts'
import { constantRate, firstFrameIndex, hertz } from '../../media/frame-rate.ts'
import type { FrameRange } from './part.ts'

/** Length of a part, in seconds: at most this much is repeated after an interruption. */
const partSeconds = 20

/** Least length of a part, in frames: the encoder needs that many to reorder frames the same way in all parts. */
const minPartFrames = 5

/** Least length of a part when splitting for parallel processing, in seconds. */
const minParallelSeconds = 4

/**
 * Splits frames into parts of equal length; the last one may be shorter, or longer if it would be too short.
 * Independent parts that are long enough become even in number and equal in length, so that two concurrent ones end
 * together.
 */
export function splitIntoParts(
  { first, count }: FrameRange,
  fps: number,
  areIndependent: boolean,
): FrameRange[] {
  const longest = Math.max(minPartFrames, Math.round(partSeconds * fps))
  const parts = Math.max(1, Math.ceil((count - minPartFrames + 1) / longest))
  const even = parts + (parts % 2)
  const isEven = areIndependent && count >= even * Math.max(minPartFrames, minParallelSeconds * fps)
  const all = isEven ? even : parts
  const boundAt = (index: number) =>
    isEven ? Math.floor((index * count) / all) : index === all ? count : index * longest
  return Array.from({ length: all }, (_, index) => ({
    first: first + boundAt(index),
    count: boundAt(index + 1) - boundAt(index),
  }))
}

/** Frames that may be missing at the end, in seconds: headers and last frames state the length approximately. */
const endTolerance = 1

/** A part of a video: the stated and the decoded number of its frames. */
interface DecodedPart extends FrameRange {
  readonly frames: number
}

/**
 * Throws 6021 if frames stated by the file are missing. rate: frames per second; start: first frame of the picture.
 */
export function checkPartsComplete(
  name: string,
  parts: readonly DecodedPart[],
  { rate, start }: { readonly rate: number; readonly start: number },
): void {
  let missing = 0
  let last = 0
  for (const { first, frames, count } of parts) {
    if (missing === 0) last = first - start + frames
    missing += count - frames
    const isInside = missing > 0 && frames === count
    if (isInside || missing > Math.max(1, endTolerance * rate) || parts.every((part) => part.frames === 0)) {
      throw new MediaError(6021, `${name}: no frames can be decoded from ${(last / rate).toFixed(1)} s on`, {
        hint: 'The file is damaged there. Export it again, or cut it before that point.',
      })
    }
  }
}

/** The picture of a video and the range of all its frames. */
export interface WholePicture extends Footage, FrameRange {
  readonly stream: PictureStream
}

/** Returns the picture of a file at its constant rate. */
export async function wholePicture({ path, facts }: StagedFile, signal: AbortSignal): Promise<WholePicture> {
  const video = facts?.video
  if (!video) throw new MediaError(6014, 'the file has no picture')
  const rate = constantRate(video)
  const stream = await pictureStream(path, video, { signal })
  const count = Math.max(1, Math.round(stream.durationSeconds * hertz(rate)))
  return { path, video, stream, rate, first: firstFrameIndex(video, rate), count }
}
