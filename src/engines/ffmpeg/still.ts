import type { VideoFacts } from '../../contract/media-facts.ts'
import { alphaDecoder } from './alpha-decoder.ts'
import { readFrames } from './read-frames.ts'

/** Target size of a still picture, pixels. */
interface StillPictureOptions {
  readonly video: VideoFacts
  readonly width: number
  readonly height: number
  /** Filters applied between rotation and scaling. */
  readonly filters?: string
  readonly signal: AbortSignal | undefined
}

const stillTimeoutMs = 20_000

/**
 * Returns a still picture in display orientation as RGBA, 4 bytes per pixel, or undefined if it does not
 * decode.
 */
export async function stillPicture(
  path: string,
  { video, width, height, filters = '', signal }: StillPictureOptions,
): Promise<Uint8Array | undefined> {
  const before = [...(await alphaDecoder(video)), '-noautorotate']
  const [picture] = await readFrames(
    path,
    { width, height },
    {
      before,
      filters: [turnFilters[video.rotation] ?? '', filters].filter(Boolean).join(','),
      count: 1,
      timeoutMs: stillTimeoutMs,
      signal,
    },
  )
  return picture
}

/**
 * Rotates a still picture by its facts. Releases of ffmpeg differ in whether they rotate photos
 * automatically.
 */
const turnFilters: Readonly<Record<number, string>> = {
  90: 'transpose=clock',
  180: 'hflip,vflip',
  270: 'transpose=cclock',
}
