import type { VideoFacts } from '../../contract/media-facts.ts'
import { hertz } from '../../media/frame-rate.ts'
import { type ChosenShot, chooseShots } from '../../media/reframe/choose-shots.ts'
import { ShotDetector } from '../../media/reframe/shot-detector.ts'
import { createThumbnail, lumaCells, type Thumbnail } from '../../media/reframe/thumbnail.ts'
import { sampleGrid } from '../vision/detect-faces.ts'
import { gridFrames } from '../vision/grid-frames.ts'

/** A shot of a video. Times in ms from the start of the file. */
export interface Shot {
  readonly startMs: number
  readonly endMs: number
  /** Time of the frame that shows it best. */
  readonly bestMs: number
}

/** Longest side of the decoded frames, pixels. */
const decodedSide = 160

interface FindShotsOptions {
  /** Most shots to return. */
  readonly limit: number
  readonly threads: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns the shots of a video, best first: long ones with contrast. Decodes every frame once, at most 160 px large. Memory:
 * 16 bytes per frame. Returns none if no frame decodes.
 */
export async function findShots(
  path: string,
  video: VideoFacts,
  { limit, threads, signal }: FindShotsOptions,
): Promise<Shot[]> {
  const grid = sampleGrid(video, { step: 1, longestSide: decodedSide })
  const perSecond = hertz(grid.rate)
  const detector = new ShotDetector(perSecond)
  const contrasts: number[] = []
  for await (const frame of gridFrames(path, { ...grid, video, threads, signal })) {
    const thumbnail = createThumbnail(frame)
    detector.add(thumbnail)
    contrasts.push(lumaDeviation(thumbnail))
  }
  detector.end()
  const changes = detector.changes().map(({ frame }) => frame)
  const milliseconds = (frame: number) => Math.round(1000 * grid.secondsAt(frame))
  return chooseShots({ contrasts, changes, perSecond, limit }).map(({ first, end, best }: ChosenShot) => ({
    ...{ startMs: milliseconds(first), endMs: milliseconds(end), bestMs: milliseconds(best) },
  }))
}

/** Returns the standard deviation of the luma of a thumbnail, 0 to 255. */
function lumaDeviation(thumbnail: Thumbnail): number {
  const cells = lumaCells(thumbnail)
  const mean = cells.reduce((sum, value) => sum + value, 0) / cells.length
  return Math.sqrt(cells.reduce((sum, value) => sum + (value - mean) ** 2, 0) / cells.length)
}
