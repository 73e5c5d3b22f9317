import type { Limits } from './breakdown.ts'
import type { Browser } from './browser.ts'

/** In ms. */
interface Times {
  readonly processor: number
  readonly real: number
}

/** What playing may take: of the processor, so that a busy machine plays as far as an idle one, and of real time. */
export class Budget {
  readonly #browser: Browser
  #latest: Times

  private constructor(browser: Browser, latest: Times) {
    this.#browser = browser
    this.#latest = latest
  }

  /** From now on. */
  static async of({ browser, limits }: { browser: Browser; limits: Limits }): Promise<Budget> {
    const { processor, real } = await timesOf(browser)
    return new Budget(browser, { processor: processor + limits.playMs, real: real + limits.waitMs })
  }

  async isSpent(): Promise<boolean> {
    const { processor, real } = await timesOf(this.#browser)
    return processor > this.#latest.processor || real > this.#latest.real
  }

  /** Does work that is not part of playing. */
  async leaveOut<T>(work: () => Promise<T>): Promise<T> {
    const before = await timesOf(this.#browser)
    const answer = await work()
    const after = await timesOf(this.#browser)
    this.#latest = {
      processor: this.#latest.processor + after.processor - before.processor,
      real: this.#latest.real + after.real - before.real,
    }
    return answer
  }
}

async function timesOf(browser: Browser): Promise<Times> {
  return { processor: await browser.processorMs(), real: performance.now() }
}
