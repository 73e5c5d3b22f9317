import { ParticlePlayer } from './particle-player.ts'
import type { BrowserLimits } from './browser-failure.ts'
import { Browser } from './browser.ts'
import { HostPage } from './host-page.ts'
import type { CaptureMethod } from './painter.ts'
import { particleError, type CaptureParticle } from './particle.ts'
import type { FrameSpan } from './frame-spans.ts'

/** A particle with the frames on which it is to be seen. */
export interface ParticleSlot {
  readonly particle: CaptureParticle
  readonly span: FrameSpan
}

/** Frames that look the same, from `frame` on. */
export interface CapturedFrame {
  readonly frame: number
  readonly count: number
  /** With alpha. */
  readonly png: Uint8Array
}

export interface CaptureSessionOptions {
  readonly slots: readonly ParticleSlot[]
  readonly width: number
  readonly height: number
  readonly fps: number
  readonly method: CaptureMethod
  readonly program?: string
  readonly scratch: string
  readonly signal: AbortSignal
  readonly limits: BrowserLimits
}

/**
 * A browser that plays particles forwards: each from its own first frame, through every frame, whether that is
 * captured here or elsewhere. So each frame looks the same, whichever worker takes it.
 */
export class CaptureSession implements AsyncDisposable {
  readonly #options: CaptureSessionOptions
  readonly #browser: Browser
  readonly #page: HostPage
  readonly #actors = new Map<ParticleSlot, ParticlePlayer>()

  private constructor(options: CaptureSessionOptions, browser: Browser, page: HostPage) {
    this.#options = options
    this.#browser = browser
    this.#page = page
  }

  /** Starts the browser. */
  static async open(options: CaptureSessionOptions): Promise<CaptureSession> {
    const { method } = options
    const browser = await Browser.launch({ ...options, beginFrame: method === 'begin-frame' })
    try {
      return new CaptureSession(options, browser, await HostPage.open(browser, options))
    } catch (error) {
      await browser[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Captures frames that come after those before. Throws 6016 naming the particle that cannot be played. */
  async capture({ first, end }: FrameSpan): Promise<CapturedFrame[]> {
    const captured: CapturedFrame[] = []
    let seen: readonly ParticleSlot[] = []
    for (let frame = first; frame < end; frame += 1) {
      const slots = this.#options.slots.filter(({ span }) => span.first <= frame && frame < span.end)
      const actors = await this.#enter(slots)
      const same =
        slots.length === seen.length &&
        slots.every((slot) => seen.includes(slot)) &&
        actors.every(({ isStill: still }) => still)
      seen = slots
      const last = captured.at(-1)
      if (same && last) {
        captured[captured.length - 1] = { ...last, count: last.count + 1 }
        continue
      }
      for (const actor of actors) await playTo(actor, frame)
      const png = await this.#page.capture(actors.map(({ loaded }) => loaded))
      captured.push({ frame, count: 1, png })
    }
    return captured
  }

  /** Brings on stage those that are to be seen, and takes off those that no longer are. */
  async #enter(slots: readonly ParticleSlot[]): Promise<ParticlePlayer[]> {
    const { fps } = this.#options
    for (const [slot, { loaded }] of this.#actors) {
      if (slots.includes(slot)) continue
      await this.#page.remove(loaded)
      this.#actors.delete(slot)
    }
    for (const slot of slots) {
      if (this.#actors.has(slot)) continue
      const timing = { fps, first: slot.span.first }
      const { actor, problems } = await ParticlePlayer.load(this.#page, slot.particle, timing)
      if (!actor || problems.length > 0) throw particleError(slot.particle.name, problems)
      this.#actors.set(slot, actor)
    }
    return slots.flatMap((slot) => this.#actors.get(slot) ?? [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]()
  }
}

async function playTo(actor: ParticlePlayer, frame: number): Promise<void> {
  while (!actor.hasReached(frame)) {
    const problems = await actor.advance(frame)
    if (problems.length > 0) throw particleError(actor.loaded.particle.name, problems)
  }
}
