import type { BrowserLimits } from './breakdown.ts'
import type { Browser } from './browser.ts'

/** In ms. */
interface ElapsedTimes {
  readonly cpuMs: number
  readonly wallMs: number
}

/** What playing may take: of the processor, so that a busy machine plays as far as an idle one, and of real time. */
export class PlayBudget {
  readonly #browser: Browser
  #latest: ElapsedTimes

  private constructor(browser: Browser, latest: ElapsedTimes) {
    this.#browser = browser
    this.#latest = latest
  }

  /** From now on. */
  static async start({ browser, limits }: { browser: Browser; limits: BrowserLimits }): Promise<PlayBudget> {
    const { cpuMs: processor, wallMs: real } = await elapsedTimes(browser)
    return new PlayBudget(browser, { cpuMs: processor + limits.playCpuMs, wallMs: real + limits.playWallMs })
  }

  async isExhausted(): Promise<boolean> {
    const { cpuMs: processor, wallMs: real } = await elapsedTimes(this.#browser)
    return processor > this.#latest.cpuMs || real > this.#latest.wallMs
  }

  /** Does work that is not part of playing. */
  async exclude<T>(work: () => Promise<T>): Promise<T> {
    const before = await elapsedTimes(this.#browser)
    const answer = await work()
    const after = await elapsedTimes(this.#browser)
    this.#latest = {
      cpuMs: this.#latest.cpuMs + after.cpuMs - before.cpuMs,
      wallMs: this.#latest.wallMs + after.wallMs - before.wallMs,
    }
    return answer
  }
}

async function elapsedTimes(browser: Browser): Promise<ElapsedTimes> {
  return { cpuMs: await browser.cpuTimeMs(), wallMs: performance.now() }
}
