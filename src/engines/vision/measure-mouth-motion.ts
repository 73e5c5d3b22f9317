import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import type { Frame } from '../../media/clean/frame.ts'
import { facePatch } from '../../media/cut/face-patch.ts'
import { mouthMotion } from '../../media/cut/mouth-motion.ts'
import type { MouthSample } from '../../media/cut/visual-speech.ts'
import { constantRate, hertz, timeTolerance } from '../../media/frame-rate.ts'
import type { Luma } from '../../media/text/luma.ts'
import { type Face, interpolateLandmarks, linkFaces } from '../../media/vision/face.ts'
import { sampleGrid, videoSearchSide } from './detect-faces.ts'
import { type FaceDetector, openFaceDetector } from './frame-detector.ts'
import { gridFrames } from './grid-frames.ts'

/** Options of `measureMouthMotion`. */
export interface MeasureMouthMotionOptions {
  readonly threads: number
  readonly signal?: AbortSignal | undefined
  /** Seconds that an earlier call has measured: samples that start earlier are skipped. */
  readonly after?: number
  /** Called with 0 to 100, never decreasing. */
  readonly onProgress?: ((percent: number) => void) | undefined
}

/** Least samples per second: 12 for 24 fps, 12.5 for 25, 15 for 30 and 60. Lips open and close up to 7 times a second. */
const samplesPerSecond = 11.9

/** Samples from one search of faces to the next; between them, the points of a face are interpolated. */
const searchInterval = 3

/** Frames from one search of faces to the next, both included. */
interface FrameSpan {
  /** Index of the first frame. */
  readonly index: number
  readonly frames: Luma[]
  readonly before: Promise<readonly Face[]>
}

/**
 * Yields the motion of the mouth in a video, from frame to frame, 12 to 24 times per second, in order and without gaps;
 * nothing if the file has no picture. Of several faces, the one whose mouth moves most counts. Memory does not grow with
 * the length of the video. Throws 6401 if the model of faces or the runtime is missing.
 */
export async function* measureMouthMotion(
  path: string,
  { video }: MediaFacts,
  { threads, signal, after = 0, onProgress }: MeasureMouthMotionOptions,
): AsyncGenerator<MouthSample> {
  if (!video) return
  const step = Math.max(1, Math.floor(hertz(constantRate(video)) / samplesPerSecond))
  const grid = sampleGrid(video, { step, longestSide: videoSearchSide })
  await using detector = await openFaceDetector(threads, signal)
  const spans: FrameSpan[] = []
  const end = endOf(video)
  async function* measureFirst(): AsyncGenerator<MouthSample> {
    const [span, following] = spans
    if (!span) return
    const faces = await span.before
    // The last span has no search at its end: its faces stay where they are.
    const motions = spanMotions(span.frames, faces, following ? await following.before : faces)
    for (const [offset, motion] of motions.entries()) {
      const start = grid.secondsAt(span.index + offset)
      if (start < after - timeTolerance) continue
      onProgress?.(Math.min(99, (100 * start) / end))
      yield { start, end: grid.secondsAt(span.index + offset + 1), motion }
    }
    spans.shift()
  }
  let index = 0
  for await (const frame of gridFrames(path, { ...grid, video, threads, signal })) {
    if (grid.secondsAt(searchAfter(index)) <= after) {
      index += 1
      continue
    }
    const luma = { ...grid, values: frame.bytes.slice(0, frame.width * frame.height) }
    spans.at(-1)?.frames.push(luma)
    if (index % searchInterval === 0) spans.push({ index, frames: [luma], before: search(detector, frame) })
    index += 1
    if (spans.length > threads + 1) yield* measureFirst()
  }
  while (spans.length > 0) yield* measureFirst()
}

function search(detector: FaceDetector, frame: Frame): Promise<readonly Face[]> {
  const faces = detector.find({ ...frame, bytes: frame.bytes.slice() })
  // Handled where the faces are awaited.
  faces.catch(() => {})
  return faces
}

/** Returns the index of the first search after a frame. */
function searchAfter(index: number): number {
  return (Math.floor(index / searchInterval) + 1) * searchInterval
}

function endOf({ start_ms, duration_ms }: VideoFacts): number {
  return Math.max(1, start_ms + duration_ms) / 1000
}

/** Returns the motion from each frame to the next; null where no face is seen. */
function spanMotions(
  frames: readonly Luma[],
  before: readonly Face[],
  after: readonly Face[],
): (number | null)[] {
  const motions = frames.slice(1).map((): number | null => null)
  for (const [one, other] of linkFaces(before, after)) {
    const patches = frames.map((luma, at) =>
      facePatch(luma, interpolateLandmarks(one.landmarks, other.landmarks, at / searchInterval)),
    )
    for (const at of motions.keys()) {
      const [from, to] = [patches[at], patches[at + 1]]
      const motion = from && to && mouthMotion(from, to)
      if (motion !== undefined) motions[at] = Math.max(motions[at] ?? 0, motion)
    }
  }
  return motions
}
