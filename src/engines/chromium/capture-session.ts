import { ParticlePlayer } from './particle-player.ts'
import type { BrowserLimits } from './browser-failure.ts'
import { Browser } from './browser.ts'
import { HostPage } from './host-page.ts'
import type { CaptureMethod } from './painter.ts'
import { isError, particleError, type CaptureParticle, type ParticleProblem } from './particle.ts'
import type { FrameSpan } from '../../media/particle/frame-spans.ts'

/** A particle and the frames on which it is visible. */
export interface ParticleSlot {
  readonly particle: CaptureParticle
  readonly span: FrameSpan
}

/** A picture of `count` identical frames, starting at `frame`. */
export interface CapturedFrame {
  readonly frame: number
  readonly count: number
  /** PNG with alpha, or without if the picture is opaque. */
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
  /** Called with each warning about a particle, once per browser that plays it. */
  readonly onWarning?: WarningListener
}

/** Receives a problem that does not prevent rendering, and the name of its particle. */
export type WarningListener = (warning: ParticleProblem, name: string) => void

/**
 * A browser that plays each particle from its first frame through every frame, also through frames that other workers
 * capture. So a frame looks the same whichever worker captures it.
 */
export class CaptureSession implements AsyncDisposable {
  readonly #options: CaptureSessionOptions
  readonly #browser: Browser
  readonly #page: HostPage
  readonly #players = new Map<ParticleSlot, ParticlePlayer>()

  private constructor(options: CaptureSessionOptions, browser: Browser, page: HostPage) {
    this.#options = options
    this.#browser = browser
    this.#page = page
  }

  /** Starts the browser and opens the page. */
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

  /** Captures frames; spans of successive calls must rise. Throws 6016 with the name of a particle that cannot be played. */
  async capture({ first, end }: FrameSpan): Promise<CapturedFrame[]> {
    const captured: CapturedFrame[] = []
    let seen: readonly ParticleSlot[] = []
    for (let frame = first; frame < end; frame += 1) {
      const slots = this.#options.slots.filter(({ span }) => span.first <= frame && frame < span.end)
      const players = await this.#load(slots)
      const same =
        slots.length === seen.length &&
        slots.every((slot) => seen.includes(slot)) &&
        players.every(({ isStill: still }) => still)
      seen = slots
      const last = captured.at(-1)
      if (same && last) {
        captured[captured.length - 1] = { ...last, count: last.count + 1 }
        continue
      }
      for (const player of players) await this.#playTo(player, frame)
      const png = await this.#page.capture(players.map(({ loaded }) => loaded))
      captured.push({ frame, count: 1, png })
    }
    return captured
  }

  /** Loads the particles of these slots and removes all others from the page. */
  async #load(slots: readonly ParticleSlot[]): Promise<ParticlePlayer[]> {
    const { fps } = this.#options
    for (const [slot, { loaded }] of this.#players) {
      if (slots.includes(slot)) continue
      await this.#page.remove(loaded)
      this.#players.delete(slot)
    }
    for (const slot of slots) {
      if (this.#players.has(slot)) continue
      const timing = { fps, first: slot.span.first }
      const { player, problems } = await ParticlePlayer.load(this.#page, slot.particle, timing)
      this.#checkProblems(slot.particle, problems)
      if (!player) throw particleError(slot.particle.name, problems)
      this.#players.set(slot, player)
    }
    return slots.flatMap((slot) => this.#players.get(slot) ?? [])
  }

  async #playTo(player: ParticlePlayer, frame: number): Promise<void> {
    while (!player.hasReached(frame)) {
      this.#checkProblems(player.loaded.particle, await player.advance(frame))
    }
  }

  /** Throws if there are errors, else reports the warnings. */
  #checkProblems({ name }: CaptureParticle, problems: readonly ParticleProblem[]): void {
    const errors = problems.filter(isError)
    if (errors.length > 0) throw particleError(name, errors)
    for (const warning of problems) this.#options.onWarning?.(warning, name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]()
  }
}
