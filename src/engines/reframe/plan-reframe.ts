import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, Rational, VideoFacts } from '../../contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import type { Frame } from '../../media/clean/frame.ts'
import { hertz } from '../../media/frame-rate.ts'
import type { Rect, Size } from '../../media/geometry.ts'
import type { FrameSpan } from '../../media/particle/frame-spans.ts'
import type { FramedRange } from '../../media/reframe/framed-range.ts'
import { planFraming } from '../../media/reframe/plan-framing.ts'
import type { SplitOptions } from '../../media/reframe/split-screen.ts'
import { scaleFace } from '../../media/vision/face.ts'
import { type FaceDetector, openFaceDetector } from '../vision/frame-detector.ts'
import { type FindFaces, scanPicture } from './scan-picture.ts'

/** Options of `planReframe`. */
export interface PlanReframeOptions extends Pick<RunContext, 'steps' | 'threads' | 'signal' | 'progress'> {
  readonly file: StagedFile & { readonly facts: MediaFacts & { readonly video: VideoFacts } }
  /** Constant rate that counts the frames of the source. */
  readonly rate: Rational
  /** Size of the canvas, pixels. */
  readonly size: Size
  /** Blur of the background where the whole picture is shown, pixels of the canvas. */
  readonly blurSigma: number
  /** Absent: no split screen is planned. */
  readonly split?: SplitOptions | undefined
}

/** Framings of ranges of a video. */
export interface ReframeResult {
  /** The given ranges, divided into pieces of constant framing; in the same order. */
  readonly ranges: readonly FramedRange[]
  /** Parts of them for which a split screen fits. */
  readonly split: readonly FramedRange[]
  /** Why faces were not searched, or not everywhere, with the command that repairs it. */
  readonly degraded?: string
}

/**
 * Plans how ranges of a video are shown on a canvas of any shape: shots and faces are found, and the camera holds still
 * within a shot (see `planFraming`). Where faces cannot be searched, the crop holds what draws the eye, and `degraded`
 * says why. Another attempt continues with what is in `steps`. Throws the reason of an abort, and errors of the file.
 */
export async function planReframe(
  ranges: readonly FrameSpan[],
  options: PlanReframeOptions,
): Promise<ReframeResult> {
  const { file, rate, size, blurSigma, split, ...context } = options
  const { video } = file.facts
  await using search = new FaceSearch(video, context)
  const analysis = await scanPicture(ranges, {
    ...{ ...context, path: file.path, video, rate },
    findFaces: (frame) => search.find(frame),
  })
  const source = { width: video.width, height: video.height }
  const plan = planFraming(ranges, analysis, {
    ...{ source, canvas: size, perSecond: hertz(rate), blurSigma, split },
  })
  return { ...plan, ...(search.failure !== undefined && { degraded: search.failure }) }
}

/** Searches faces with the model, which is loaded for the first frame. After a failure, searches no more. */
class FaceSearch implements AsyncDisposable {
  readonly #video: VideoFacts
  readonly #context: Pick<PlanReframeOptions, 'threads' | 'signal'>
  #detector: Promise<FaceDetector> | undefined
  /** Why faces are not searched. */
  failure: string | undefined

  constructor(video: VideoFacts, context: Pick<PlanReframeOptions, 'threads' | 'signal'>) {
    this.#video = video
    this.#context = context
  }

  readonly find: FindFaces = async (frame: Frame): Promise<Rect[] | undefined> => {
    if (this.failure !== undefined) return undefined
    const { threads, signal } = this.#context
    try {
      this.#detector ??= openFaceDetector(threads, signal)
      const [across, down] = [this.#video.width / frame.width, this.#video.height / frame.height]
      const faces = await (await this.#detector).find(frame)
      return faces.map((face) => roundRect(scaleFace(face, across, down).box))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof MediaError)) throw error
      this.failure ??= `faces were not searched: ${error.message}. ${error.hint}`
      return undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A detector that failed to open is already reported.
    const detector = await this.#detector?.catch(() => undefined)
    await detector?.[Symbol.asyncDispose]()
  }
}

/** Rounds a rectangle to whole pixels, which keeps stored results short. */
function roundRect({ x, y, width, height }: Rect): Rect {
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) }
}
