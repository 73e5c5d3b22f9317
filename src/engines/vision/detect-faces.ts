import type { MediaFacts, Rational, VideoFacts } from '../../contract/media-facts.ts'
import { constantRate, firstFrameIndex, frameTime, hertz } from '../../media/frame-rate.ts'
import type { Size } from '../../media/geometry.ts'
import { type Face, scaleFace } from '../../media/vision/face.ts'
import { openFaceDetector } from './frame-detector.ts'
import { gridFrames } from './grid-frames.ts'
import { stillFrame } from './still-frame.ts'

/** Faces of a frame of a video, in pixels of the picture as displayed, best first. */
export interface FacesAt {
  /** Start of the frame, seconds from the start of the file. */
  readonly seconds: number
  readonly faces: readonly Face[]
}

/** Options of `detectFaces`. */
export interface DetectFacesOptions {
  /** Frames to search per second of video; the nearest whole interval of frames is used. */
  readonly perSecond: number
  readonly threads: number
  /** Longest side of the searched frames, px. Faces narrower than about 12 px are missed. Default: 640. */
  readonly longestSide?: number
  readonly signal?: AbortSignal | undefined
}

/** Longest side of the searched frames of a video and of a still picture, px. */
export const videoSearchSide = 640
const imageSearchSide = 1280

/**
 * Yields the faces of evenly spaced frames of a video, in order; none if the file has no picture. Memory does not grow
 * with the length of the video. Throws 6401 if the model or the runtime is missing.
 */
export async function* detectFaces(
  path: string,
  { video }: MediaFacts,
  { perSecond, threads, longestSide = videoSearchSide, signal }: DetectFacesOptions,
): AsyncGenerator<FacesAt> {
  if (!video) return
  const grid = sampleGrid(video, { step: sampleInterval(video, perSecond), longestSide })
  await using detector = await openFaceDetector(threads, signal)
  const pending: { readonly seconds: number; readonly faces: Promise<readonly Face[]> }[] = []
  const next = async (): Promise<FacesAt[]> => {
    const first = pending.shift()
    if (!first) return []
    const faces = await first.faces
    return [{ seconds: first.seconds, faces: faces.map((face) => grid.toPicture(face)) }]
  }
  let index = 0
  for await (const frame of gridFrames(path, { ...grid, video, threads, signal })) {
    const faces = detector.find({ ...frame, bytes: frame.bytes.slice() })
    // Handled where the faces are awaited.
    faces.catch(() => {})
    pending.push({ seconds: grid.secondsAt(index), faces })
    index += 1
    if (pending.length > threads) yield* await next()
  }
  while (pending.length > 0) yield* await next()
}

/** Returns the faces of a still picture, in its pixels as displayed, best first; none if the file has no picture. */
export async function detectFacesInImage(
  path: string,
  { video }: MediaFacts,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Face[]> {
  if (!video) return []
  const size = searchSize(video, imageSearchSide)
  await using detector = await openFaceDetector(1, signal)
  const faces = await detector.find(await stillFrame(path, video, { ...size, signal }))
  return faces.map((face) => scaleFace(face, video.width / size.width, video.height / size.height))
}

/** Evenly spaced, scaled frames of a video, as `gridFrames` yields them. */
interface SampleGrid extends Size {
  readonly rate: Rational
  readonly step: number
  readonly area: { readonly x: 0; readonly y: 0; readonly w: 1; readonly h: 1 }
  /** Returns the time of a yielded frame, seconds from the start of the file. */
  secondsAt(index: number): number
  /** Returns a face of a yielded frame in pixels of the picture as displayed. */
  toPicture(face: Face): Face
}

/** Returns the grid that yields every `step`-th frame, of at most `longestSide` px. */
export function sampleGrid(
  video: VideoFacts,
  { step, longestSide }: { readonly step: number; readonly longestSide: number },
): SampleGrid {
  const rate = constantRate(video)
  const size = searchSize(video, longestSide)
  const first = firstFrameIndex(video, rate)
  return {
    ...size,
    ...{ rate, step, area: { x: 0, y: 0, w: 1, h: 1 } },
    secondsAt: (index) => frameTime(first + index * step, rate),
    toPicture: (face) => scaleFace(face, video.width / size.width, video.height / size.height),
  }
}

function sampleInterval(video: VideoFacts, perSecond: number): number {
  return Math.max(1, Math.round(hertz(constantRate(video)) / perSecond))
}

/** Returns the even size at which to search a picture; pictures are not enlarged. */
function searchSize({ width, height }: Size, longestSide: number): Size {
  const scale = Math.min(1, longestSide / Math.max(width, height))
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2))
  return { width: even(width), height: even(height) }
}
