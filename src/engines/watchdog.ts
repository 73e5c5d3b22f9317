import { type Clock, systemClock } from '../platform/clock.ts'

interface WatchdogOptions {
  /** Longest time without progress, ms. */
  readonly stallMs: number
  /** Returns the processor time that the program has used so far, ms, or undefined if it is unknown. */
  readonly processorMs: () => Promise<number | undefined>
  /** Called once when the program has made no progress for that long. */
  readonly onStall: () => void
  readonly clock?: Clock | undefined
}

/** Checks per `stallMs`. Checks are counted, not time, so that a suspended machine ends no program. */
const checksPerStall = 6

/** Smallest share of `stallMs` that counts as work of the processor: waiting programs use a little as well. */
const minProcessorShare = 0.001

/**
 * Factor for the number of checks where the processor time is unknown. A program without output may then be at work,
 * so that only its time limit ends it sooner.
 */
const unknownTimeFactor = 10

/**
 * Detects that a program makes no progress: it passes on no data, and uses no processor time. Does not end the
 * program. Stops when disposed.
 */
export class Watchdog implements Disposable {
  readonly #options: WatchdogOptions
  readonly #clock: Clock
  /** Number of reasons for which the program waits for this process. */
  #waits = 0
  #checksWithoutProgress = 0
  /** Processor time at the last progress, ms. */
  #processorMs: number | undefined
  #cancel: () => void
  #isDisposed = false

  constructor(options: WatchdogOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#cancel = this.#schedule()
  }

  /** Records that the program made progress. */
  progress(): void {
    this.#checksWithoutProgress = 0
  }

  /** Counts no time while the program waits for this process, until the result is disposed. */
  wait(): Disposable {
    this.#waits += 1
    let isWaiting = true
    return {
      [Symbol.dispose]: () => {
        if (!isWaiting) return
        isWaiting = false
        this.#waits -= 1
        this.progress()
      },
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#cancel()
  }

  #schedule(): () => void {
    return this.#clock.after(this.#options.stallMs / checksPerStall, () => void this.#check())
  }

  async #check(): Promise<void> {
    const processorMs = await this.#options.processorMs().catch(() => undefined)
    if (this.#isDisposed) return
    const usedMs = (processorMs ?? 0) - (this.#processorMs ?? 0)
    // The sum decreases when a child process of the program has ended.
    const isAtWork =
      processorMs !== undefined && (usedMs > minProcessorShare * this.#options.stallMs || usedMs < 0)
    if (isAtWork || this.#waits > 0) this.progress()
    else this.#checksWithoutProgress += 1
    if (this.#checksWithoutProgress === 0 || this.#processorMs === undefined) this.#processorMs = processorMs
    const allowedChecks = checksPerStall * (processorMs === undefined ? unknownTimeFactor : 1)
    if (this.#checksWithoutProgress >= allowedChecks) this.#options.onStall()
    else this.#cancel = this.#schedule()
  }
}
