import { MediaError } from '../../src/contract/errors.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { pictureStream, type PictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { constantRate, firstFrameIndex, hertz } from '../../src/media/frame-rate.ts'
import type { FrameRange } from './part.ts'

/** Length of a part, s: so much is made again at most when work is interrupted. */
const partSeconds = 20

/** Shortest part, frames: what the encoder's reordering needs to be the same in all. */
const minPartFrames = 5

/** Shortest part for the sake of making two at once, s. */
const minParallelSeconds = 4

/**
 * Divides frames into parts of the same length, the last one shorter or, where it would be too short, longer. Where no
 * part needs to know of another and each is long enough, they are even in number and in length, so that two that are
 * made at once end together.
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

/** Pictures that may be missing at the end, as headers and last frames tell their length roughly, s. */
const endTolerance = 1

/** Throws 6021 where pictures are missing that the file promised. */
export function checkPartsComplete(
  name: string,
  parts: readonly { readonly frames: number; readonly count: number }[],
  fps: number,
): void {
  let at = 0
  let missing = 0
  let last = 0
  for (const { frames, count } of parts) {
    if (missing === 0) last = at + frames
    missing += count - frames
    const isInside = missing > 0 && frames === count
    if (isInside || missing > Math.max(1, endTolerance * fps) || parts.every((part) => part.frames === 0)) {
      throw new MediaError(6021, `${name}: there are no pictures from ${(last / fps).toFixed(1)} s on`, {
        hint: 'The file is damaged there; export it again, or cut it before that.',
      })
    }
    at += count
  }
}

/** The picture of a video, and all its frames, counted from the start of the file. */
export interface WholePicture extends Footage, FrameRange {
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
