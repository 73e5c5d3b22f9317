import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import type { Frame } from '../../media/clean/frame.ts'
import { hertz } from '../../media/frame-rate.ts'
import type { Rect } from '../../media/geometry.ts'
import type { FrameSpan } from '../../media/particle/frame-spans.ts'
import { measureSaliency } from '../../media/reframe/saliency.ts'
import { regularSamples, scanStretches } from '../../media/reframe/scan-plan.ts'
import { cutDelay, type ShotChange, ShotDetector } from '../../media/reframe/shot-detector.ts'
import type { FrameSample, PictureAnalysis } from '../../media/reframe/shot-takes.ts'
import { createThumbnail, type Thumbnail } from '../../media/reframe/thumbnail.ts'
import { openStoredLines, type StoredLines } from '../cutting/stored-lines.ts'
import { sampleGrid, videoSearchSide } from '../vision/detect-faces.ts'
import { gridFrames } from '../vision/grid-frames.ts'

/** Finds the faces of a frame, in pixels of the picture as displayed; undefined where faces are not searched. */
export type FindFaces = (frame: Frame) => Promise<readonly Rect[] | undefined>

/** Options of `scanPicture`. */
export interface ScanPictureOptions {
  readonly path: string
  readonly video: VideoFacts
  readonly rate: Rational
  readonly findFaces: FindFaces
  /** Folder kept between attempts. */
  readonly steps: string
  readonly threads: number
  readonly signal: AbortSignal
  /** Called with 0 to 100, never decreasing. */
  readonly progress: (percent: number) => void
}

/** What was seen in a part of a stretch. */
interface ScannedPart extends FrameSpan {
  readonly changes: readonly ShotChange[]
  readonly samples: readonly FrameSample[]
}

/** Length of the parts that are stored, seconds: at most so much is repeated by another attempt. */
const partSeconds = 20

/**
 * Finds the changes of shot in ranges of a video, the faces of about 4.5 frames per second and of both frames at each cut,
 * and what draws the eye in those without faces. Decodes each frame once, scaled to at most 640 px, and only those in
 * and closely around the ranges. Parts in which faces were searched are stored in `steps`. Memory does not grow with the
 * length, except for the results.
 */
export async function scanPicture(
  ranges: readonly FrameSpan[],
  options: ScanPictureOptions,
): Promise<PictureAnalysis> {
  const perSecond = hertz(options.rate)
  const stretches = scanStretches(ranges, perSecond)
  const key = JSON.stringify([options.rate, ranges])
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16)
  const store = await openStoredLines<ScannedPart>(join(options.steps, `reframe-${digest}.jsonl`))
  const parts: ScannedPart[] = []
  const total = stretches.reduce((sum, { first, end }) => sum + end - first, 0)
  let done = 0
  for (const stretch of stretches) {
    const stored = store.items.filter(({ first }) => first >= stretch.first && first < stretch.end)
    parts.push(...stored)
    const from = stored.at(-1)?.end ?? stretch.first
    const scan = new StretchScan({ ...stretch, first: from }, { ...options, ranges, store })
    parts.push(
      ...(await scan.run((frames) =>
        options.progress((100 * (done + from - stretch.first + frames)) / total),
      )),
    )
    done += stretch.end - stretch.first
  }
  return {
    changes: parts.flatMap(({ changes }) => changes),
    samples: parts.flatMap(({ samples }) => samples),
    starts: stretches.map(({ first }) => first),
  }
}

interface StretchScanOptions extends ScanPictureOptions {
  readonly ranges: readonly FrameSpan[]
  readonly store: StoredLines<ScannedPart>
}

/** A frame that waits until it is known whether it is at a cut. */
interface WaitingFrame {
  readonly frame: Frame
  readonly thumbnail: Thumbnail
}

interface PendingSample {
  readonly frame: number
  readonly faces: Promise<readonly Rect[] | undefined>
  readonly thumbnail: Thumbnail
  readonly earlier: Thumbnail | undefined
}

/** Scans the frames of a stretch, with as many before and after it as the decisions about its changes need. */
class StretchScan {
  readonly #stretch: FrameSpan
  readonly #options: StretchScanOptions
  /** First decoded frame. */
  readonly #origin: number
  readonly #detector: ShotDetector
  readonly #regular: ReturnType<typeof regularSamples>
  readonly #waiting: WaitingFrame[] = []
  readonly #pending: PendingSample[] = []
  readonly #samples: FrameSample[] = []
  readonly #parts: ScannedPart[] = []
  /** Number of decoded frames. */
  #decoded = 0
  /** Whether faces were searched in all samples of the current part. */
  #isSearched = true
  #earlier: Thumbnail | undefined

  constructor(stretch: FrameSpan, options: StretchScanOptions) {
    const perSecond = hertz(options.rate)
    this.#stretch = stretch
    this.#options = options
    this.#detector = new ShotDetector(perSecond)
    this.#origin = Math.max(0, stretch.first - this.#detector.delay)
    this.#regular = regularSamples(options.ranges, perSecond)
  }

  async run(onFrames: (frames: number) => void): Promise<ScannedPart[]> {
    const { first, end } = this.#stretch
    if (first >= end) return []
    const { path, video, rate, threads, signal } = this.#options
    const grid = sampleGrid(video, { step: 1, longestSide: videoSearchSide })
    const part = { first: this.#origin, count: end + this.#detector.delay - this.#origin }
    for await (const frame of gridFrames(path, { ...grid, ...{ rate, video, threads, signal, part } })) {
      this.#detector.add(this.#keep(frame))
      // Both frames at a cut are known when the later one is decided.
      if (this.#waiting.length > cutDelay + 1) await this.#sampleOldest()
      onFrames(Math.max(0, Math.min(end, this.#origin + this.#decoded) - first))
      const partEnd = this.#nextPartEnd()
      if (this.#origin + this.#decoded >= partEnd + this.#detector.delay && partEnd < end)
        await this.#endPart(partEnd)
    }
    this.#detector.end()
    while (this.#waiting.length > 0) await this.#sampleOldest()
    await this.#endPart(end)
    return this.#parts
  }

  #nextPartEnd(): number {
    const from = this.#parts.at(-1)?.end ?? this.#stretch.first
    return from + Math.round(partSeconds * hertz(this.#options.rate))
  }

  /** Copies a frame, whose memory is reused, and returns its thumbnail. */
  #keep(frame: Frame): Thumbnail {
    const thumbnail = createThumbnail(frame)
    this.#waiting.push({ frame: { ...frame, bytes: frame.bytes.slice() }, thumbnail })
    this.#decoded += 1
    return thumbnail
  }

  /** Searches faces in the frame that waits longest, if it is a sample. */
  async #sampleOldest(): Promise<void> {
    const index = this.#decoded - this.#waiting.length
    const oldest = this.#waiting.shift()
    const frame = this.#origin + index
    if (!oldest || frame < this.#stretch.first || frame >= this.#stretch.end) return
    const isAtCut = this.#detector.isCut(index) || this.#detector.isCut(index + 1)
    if (!this.#regular.isSample(frame) && !(isAtCut && this.#regular.isInside(frame))) return
    const faces = this.#options.findFaces(oldest.frame)
    // Handled where the faces are awaited.
    faces.catch(() => {})
    const earlier = this.#detector.isCut(index) ? undefined : this.#earlier
    this.#pending.push({ frame, faces, thumbnail: oldest.thumbnail, earlier })
    this.#earlier = oldest.thumbnail
    while (this.#pending.length > this.#options.threads) await this.#finishSample()
  }

  async #finishSample(): Promise<void> {
    const oldest = this.#pending.shift()
    if (!oldest) return
    const { frame, thumbnail, earlier } = oldest
    const faces = await oldest.faces
    this.#isSearched &&= faces !== undefined
    this.#samples.push(
      faces && faces.length > 0
        ? { frame, faces }
        : { frame, faces: [], saliency: measureSaliency(thumbnail, earlier) },
    )
  }

  /** Returns the results up to a frame, and stores them for another attempt. */
  async #endPart(end: number): Promise<void> {
    while (this.#pending.length > 0) await this.#finishSample()
    const first = this.#parts.at(-1)?.end ?? this.#stretch.first
    const isInside = ({ frame }: { readonly frame: number }) => frame >= first && frame < end
    const changes = this.#detector
      .changes()
      .map((change) => ({ ...change, frame: this.#origin + change.frame }))
      .filter(isInside)
    const part = { first, end, changes, samples: this.#samples.filter(isInside) }
    this.#parts.push(part)
    this.#samples.splice(0, part.samples.length)
    if (this.#isSearched) await this.#options.store.add(part)
  }
}
