import type { HostPage, LoadedParticle } from './host-page.ts'
import type { ParticleProblem } from './particle.ts'
import { localTime } from './schedule.ts'

/** So many frames are played by one question, which must be answered in time. */
const mostAtOnce = 30

/** A particle in a page, played forwards through every frame. */
export class Actor {
  readonly loaded: LoadedParticle
  readonly #page: HostPage
  readonly #fps: number
  /** The frame it was played to. */
  #at: number
  #still = false

  /** `first` is the first frame of the output on which it is to be seen. */
  constructor(page: HostPage, loaded: LoadedParticle, { fps, first }: { fps: number; first: number }) {
    this.#page = page
    this.loaded = loaded
    this.#fps = fps
    this.#at = first - 1
  }

  /** Nothing of it changes any more. */
  get still(): boolean {
    return this.#still
  }

  /** The frame that is played next. */
  get next(): number {
    return this.#at + 1
  }

  /** Whether it shows its state at a frame. */
  isAt(frame: number): boolean {
    return this.#still || this.#at >= frame
  }

  /** Plays on towards a frame, as far as one question goes; answers what went wrong. */
  async playTowards(frame: number): Promise<readonly ParticleProblem[]> {
    const times = Array.from({ length: Math.min(frame - this.#at, mostAtOnce) }, (_, index) =>
      localTime(this.loaded.particle, this.#at + 1 + index, this.#fps),
    )
    const { done, still, turn, problems } = await this.#page.advance(this.loaded, times)
    this.#at += done
    this.#still = still
    if (!turn) return problems
    await this.#page.draw(this.loaded)
    return [...problems, ...(await this.#page.settle(this.loaded))]
  }

  /** Leaves out the frames before one. */
  skipTo(frame: number): void {
    this.#at = Math.max(this.#at, frame - 1)
  }
}
