import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFiles, StagedFile } from '../../src/contract/operation.ts'
import { keyFramesBefore } from '../../src/engines/ffmpeg/key-frames.ts'
import {
  isReadableAfter,
  layOutPieces,
  pieceSourceRange,
  type SourceRange,
} from '../../src/media/timeline/pieces.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'

interface DecodeThroughOptions {
  readonly files: RequestFiles<StagedFile>
  readonly videoOf: (material: string) => VideoFacts
  readonly signal: AbortSignal
}

/** Pixels decoded in the time of opening a file. Measured with H.264 on two cores. */
const pixelsPerOpen = 20e6

/**
 * Returns a function that decides, for consecutive sections of one file, whether continuing to decode is
 * faster than opening the file again. It is if less video is skipped between the end of one section and the
 * key frame before the next than an opening costs.
 */
export async function decodeThrough(
  { picture, frames, rate }: Timeline,
  { files, videoOf, signal }: DecodeThroughOptions,
): Promise<(before: SourceRange, next: SourceRange) => boolean> {
  const stretches = layOutPieces(picture, { total: frames, perSecond: rate }).flatMap(
    (piece) => pieceSourceRange(piece, rate) ?? [],
  )
  const asked = new Map<string, number[]>()
  for (const [index, stretch] of stretches.entries()) {
    const before = stretches[index - 1]
    if (
      !before ||
      !isReadableAfter(before, stretch) ||
      stretch.from - before.to <= openingSeconds(videoOf(stretch.clip.material))
    )
      continue
    asked.set(stretch.clip.material, [...(asked.get(stretch.clip.material) ?? []), stretch.from * 1000])
  }
  const keyFrames = new Map<string, number>()
  const fewAtOnce = limitConcurrency(2)
  await Promise.all(
    [...asked].map(([material, times]) =>
      fewAtOnce(async () => {
        const found = await keyFramesBefore(files.get(material).path, times, { signal })
        for (const [index, time] of times.entries())
          keyFrames.set(cacheKey(material, time), found[index] ?? time)
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

/** Returns the seconds of a video that are decoded in the time of opening it. */
function openingSeconds({ coded_width, coded_height, frame_rate }: VideoFacts): number {
  const rate = frame_rate.num > 0 ? frame_rate.num / frame_rate.den : 30
  return pixelsPerOpen / (coded_width * coded_height * rate)
}
