import type { VideoFacts } from '../../contract/media-facts.ts'
import { alphaDecoder } from './alpha-decoder.ts'
import { readFrames } from './read-frames.ts'

/** Size to scale a still picture to. */
interface StillPictureOptions {
  readonly video: VideoFacts
  readonly width: number
  readonly height: number
  /** What is done to it between turning and scaling. */
  readonly filters?: string
  readonly signal: AbortSignal | undefined
}

const stillTimeoutMs = 20_000

/** Four-byte pixels (red, green, blue, alpha) of a still picture as it is shown; undefined when it does not decode. */
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

/** Turns a still picture by its facts: releases of ffmpeg differ in whether they turn photos by themselves. */
const turnFilters: Readonly<Record<number, string>> = {
  90: 'transpose=clock',
  180: 'hflip,vflip',
  270: 'transpose=cclock',
}
