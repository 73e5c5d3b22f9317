/** Minimum number of past tasks from which work is estimated. */
const historyNeeded = 5

/** Minimum number of past tasks that took longer than a running one, from which its end is estimated. */
const longerNeeded = 3

/** Bound of the ratio between actual and planned work. */
const extremeRatio = 20

/** Planned and actual work of a past task, ms. */
export interface CompletedWork {
  readonly planned: number
  readonly actual: number
}

/** A task that has begun. */
interface BegunWork {
  readonly plannedMs: number
  /** Time worked so far, ms. */
  readonly elapsedMs: number
  /** 0 to 100; 0 if it reports none. */
  readonly progress: number
}

/** Past tasks of a type, which predict the work of others. Without enough of them, tasks take as long as planned. */
export class WorkHistory {
  /** Bounded ratios of actual to planned work, ascending. */
  readonly #ratios: readonly number[]
  readonly #usualRatio: number

  constructor(past: readonly CompletedWork[]) {
    const ratios = past
      .filter(({ planned }) => planned > 0)
      .map(({ planned, actual }) => Math.min(Math.max(actual / planned, 1 / extremeRatio), extremeRatio))
    this.#ratios = ratios.length < historyNeeded ? [] : ratios.toSorted((one, other) => one - other)
    this.#usualRatio = this.#ratios.length === 0 ? 1 : median(this.#ratios)
  }

  /** Expected work, ms: `plannedMs` times the median ratio of actual to planned work. */
  expectedMs(plannedMs: number): number {
    return Math.ceil(plannedMs * this.#usualRatio)
  }

  /**
   * Expected remaining work, ms; without progress, at least a tenth of the expected work. It follows from the past tasks
   * that took longer than this one so far. If too few did, its remainder is unknown: the result is then a lower bound, the
   * time by which it is late. With progress, it is the rest of the longer of two durations: the expected work, and the work
   * that the progress predicts.
   */
  remainingMs({ plannedMs, elapsedMs: elapsed, progress }: BegunWork): number {
    const elapsedMs = Math.max(0, elapsed)
    const byTimeMs = this.#remainingByTime(plannedMs, elapsedMs)
    if (progress <= 0) return Math.ceil(byTimeMs)
    // Early progress is often uneven, such as 5 % before a model is loaded: below a half, the time bounds its prediction.
    const boundMs = Math.max(2 * elapsedMs, elapsedMs + byTimeMs)
    const predictedMs = Math.min((elapsedMs * 100) / progress, boundMs)
    return Math.ceil((Math.max(this.expectedMs(plannedMs), predictedMs) * (100 - progress)) / 100)
  }

  #remainingByTime(plannedMs: number, elapsedMs: number): number {
    const expectedMs = this.expectedMs(plannedMs)
    const shortestMs = expectedMs / 10
    const longer = this.#ratios.filter((ratio) => ratio * plannedMs > elapsedMs)
    const likelyMs = longer.length < longerNeeded ? expectedMs : plannedMs * median(longer)
    if (likelyMs > elapsedMs) return Math.max(shortestMs, likelyMs - elapsedMs)
    const longRatio = this.#ratios.at(-longerNeeded)
    return shortestMs + elapsedMs - (longRatio === undefined ? expectedMs : plannedMs * longRatio)
  }
}

/** Median of ascending values. */
function median(sorted: readonly number[]): number {
  const [low = 0, high = low] = sorted.slice(Math.ceil(sorted.length / 2) - 1, sorted.length / 2 + 1)
  return (low + high) / 2
}
