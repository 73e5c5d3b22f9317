import type { VideoFacts } from '../../contract/media-facts.ts'
import type { RequestFiles, StagedFile } from '../../contract/operation.ts'
import { keyFramesBefore } from '../ffmpeg/quick-probe.ts'
import {
  isReadableAfter,
  layOutPieces,
  pieceMaterialRange,
  type MaterialRange,
} from '../../media/timeline/pieces.ts'
import { hertz } from '../../media/frame-rate.ts'
import type { Timeline } from '../../media/timeline/timeline.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'

interface DecodeThroughOptions {
  readonly files: RequestFiles<StagedFile>
  readonly videoOf: (material: string) => VideoFacts
  readonly signal: AbortSignal
}

/**
 * Returns a function that decides, for consecutive ranges of one file, whether decoding through the gap between
 * them is faster than opening the file again. It is if decoding from the end of one range to the key frame before
 * the next takes no longer than opening the file. Looks up the key frames in advance.
 */
export async function decodeThrough(
  { picture, frames, rate }: Timeline,
  { files, videoOf, signal }: DecodeThroughOptions,
): Promise<(before: MaterialRange, next: MaterialRange) => boolean> {
  const ranges = layOutPieces(picture, { total: frames, perSecond: hertz(rate) }).flatMap(
    (piece) => pieceMaterialRange(piece, hertz(rate)) ?? [],
  )
  // Start times whose preceding key frame decides, in milliseconds, by material.
  const startTimes = new Map<string, number[]>()
  for (const [index, range] of ranges.entries()) {
    const before = ranges[index - 1]
    if (
      !before ||
      !isReadableAfter(before, range) ||
      range.from - before.to <= openingSeconds(videoOf(range.clip.material))
    )
      continue
    const { material } = range.clip
    startTimes.set(material, [...(startTimes.get(material) ?? []), range.from * 1000])
  }
  const keyFrames = new Map<string, number>()
  const limit = limitConcurrency(2)
  await Promise.all(
    [...startTimes].map(([material, starts]) =>
      limit(async () => {
        const times = await keyFramesBefore(files.get(material).path, starts, { signal })
        for (const [index, start] of starts.entries())
          keyFrames.set(cacheKey(material, start), times[index] ?? start)
      }),
    ),
  )
  return (before, { clip, from }) => {
    const keyFrame = keyFrames.get(cacheKey(clip.material, from * 1000)) ?? from * 1000
    return keyFrame / 1000 - before.to <= openingSeconds(videoOf(clip.material))
  }
}

function cacheKey(material: string, timeMs: number): string {
  return `${material} ${timeMs.toFixed(3)}`
}

/** Number of pixels decoded in the time of opening a file. Measured with H.264 on two cores. */
const pixelsPerOpen = 20e6

/** Returns the duration of video, in seconds, that is decoded in the time of opening its file. */
function openingSeconds({ coded_width, coded_height, frame_rate }: VideoFacts): number {
  const rate = frame_rate.num > 0 ? frame_rate.num / frame_rate.den : 30
  return pixelsPerOpen / (coded_width * coded_height * rate)
}
