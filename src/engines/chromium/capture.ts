import { BrowserFailure, retryOnBrowserFailure, defaultBrowserLimits } from './browser-failure.ts'
import { processInOrder } from './process-in-order.ts'
import type { CaptureMethod } from './painter.ts'
import type { CaptureParticle } from './particle.ts'
import { locateChromium, supportsBeginFrame } from './locate.ts'
import { maxRunFrames, splitIntoRuns, frameSpan, type FrameSpan } from '../../media/particle/frame-spans.ts'
import {
  CaptureSession,
  type CapturedFrame,
  type CaptureSessionOptions,
  type WarningListener,
} from './capture-session.ts'

/** Options of `captureFrames`: particles to draw as frames of one transparent layer. */
export interface CaptureFramesOptions {
  readonly particles: readonly CaptureParticle[]
  readonly width: number
  readonly height: number
  readonly fps: number
  /** Number of frames of the whole output. */
  readonly frames: number
  /** Number of browsers that work in parallel. */
  readonly threads: number
  /** Existing folder for browser profiles. */
  readonly scratch: string
  readonly signal: AbortSignal
  /** Called with the number of finished frames, including frames without particles. */
  readonly onFrame?: (done: number) => void
  /** Called with each warning about a particle; several browsers may report the same one. */
  readonly onWarning?: WarningListener
  /** Default: begin-frame if the browser supports it. */
  readonly method?: CaptureMethod
  /** Path of the browser; by default the one `locateChromium` returns. */
  readonly program?: string
}

/**
 * Yields the frames on which particles are visible, in order; identical frames in a row are yielded once with a count.
 * Throws 6016 with the name of a particle that cannot be played, 6401 without a browser.
 */
export async function* captureFrames(
  job: CaptureFramesOptions,
  limits = defaultBrowserLimits,
): AsyncGenerator<CapturedFrame> {
  job.signal.throwIfAborted()
  const slots = job.particles.map((particle) => ({ particle, span: frameSpan(particle, job) }))
  const runs = splitIntoRuns(
    slots.map(({ span }) => span),
    maxRunFrames(job),
  )
  const own = new AbortController()
  const signal = AbortSignal.any([job.signal, own.signal])
  const options = { ...job, slots, limits, signal, method: job.method ?? preferredCaptureMethod() }
  const workers = Array.from({ length: Math.min(job.threads, runs.length) }, () => new CaptureWorker(options))
  try {
    const process = async (worker: number, index: number) => {
      const run = runs[index]
      return run ? ((await workers[worker]?.capture(run)) ?? []) : []
    }
    const abort = () => own.abort(new BrowserFailure('crash'))
    for await (const frames of processInOrder({
      count: runs.length,
      workers: workers.length,
      process,
      abort,
    })) {
      for (const frame of frames) {
        yield frame
        job.onFrame?.(frame.frame + frame.count)
      }
    }
    job.onFrame?.(job.frames)
  } finally {
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
  }
}

/** Returns the most precise capture method that the installed browser supports. */
export function preferredCaptureMethod(): CaptureMethod {
  return supportsBeginFrame(locateChromium()) ? 'begin-frame' : 'screenshot'
}

/** Captures runs of frames in its own browser. If the browser fails, repeats the run once in a new one. */
class CaptureWorker implements AsyncDisposable {
  readonly #options: CaptureSessionOptions
  #session: CaptureSession | undefined

  constructor(options: CaptureSessionOptions) {
    this.#options = options
  }

  async capture(run: FrameSpan): Promise<CapturedFrame[]> {
    try {
      return await retryOnBrowserFailure(this.#options.signal, () => this.#attempt(run))
    } catch (error) {
      this.#options.signal.throwIfAborted()
      throw error instanceof BrowserFailure ? error.toMediaError() : error
    }
  }

  async #attempt(run: FrameSpan): Promise<CapturedFrame[]> {
    try {
      this.#session ??= await CaptureSession.open(this.#options)
      return await this.#session.capture(run)
    } catch (error) {
      await this[Symbol.asyncDispose]()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.[Symbol.asyncDispose]()
    this.#session = undefined
  }
}
