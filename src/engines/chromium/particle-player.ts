import type { HostPage, LoadedParticle } from './host-page.ts'
import type { CaptureParticle, ParticleProblem } from './particle.ts'
import { particleTime } from './frame-spans.ts'

/** So many frames are played by one question, which must be answered in time. */
const maxFramesPerCall = 30

/** So often one frame is drawn: what its drawings tell of each other ends after two or three. */
const maxDraws = 20

const endlessMessage =
  'what it hears of a drawn frame (observers, scrolling, ends of animations) sets off more of the same without end; let it come to rest within its frame'

/** A particle in a page, played forwards through every frame. */
export class ParticlePlayer {
  readonly loaded: LoadedParticle
  readonly #page: HostPage
  readonly #fps: number
  /** The frame it was played to. */
  #at: number
  #still = false
  /** Found to draw without end: that is told once, and its frames are no longer drawn for it. */
  #endless = false

  private constructor(
    page: HostPage,
    loaded: LoadedParticle,
    { fps, first }: { fps: number; first: number },
  ) {
    this.#page = page
    this.loaded = loaded
    this.#fps = fps
    this.#at = first - 1
  }

  /**
   * Loads a particle, whose first frame of the output on which it is to be seen is `first`; without an actor where it
   * cannot be played. What it hears of drawings is told of its beginning, before it is played or others are.
   */
  static async load(
    page: HostPage,
    particle: CaptureParticle,
    timing: { fps: number; first: number },
  ): Promise<{ actor?: ParticlePlayer; problems: readonly ParticleProblem[] }> {
    const { loaded, again, problems } = await page.load(particle)
    if (!loaded) return { problems }
    const actor = new ParticlePlayer(page, loaded, timing)
    return { actor, problems: again ? [...problems, ...(await actor.#draw())] : problems }
  }

  /** Nothing of it changes any more. */
  get isStill(): boolean {
    return this.#still
  }

  /** The frame that is played next. */
  get nextFrame(): number {
    return this.#at + 1
  }

  /** Whether it shows its state at a frame. */
  hasReached(frame: number): boolean {
    return this.#still || this.#at >= frame
  }

  /** Plays on towards a frame, as far as one question goes; answers what went wrong. */
  async advance(frame: number): Promise<readonly ParticleProblem[]> {
    const times = Array.from({ length: Math.min(frame - this.#at, maxFramesPerCall) }, (_, index) =>
      particleTime(this.loaded.particle, this.#at + 1 + index, this.#fps),
    )
    const { done, still, turn, problems } = await this.#page.advance(this.loaded, times)
    this.#at += done
    this.#still = still
    return turn ? [...problems, ...(await this.#draw())] : problems
  }

  /** Draws until nothing more is told of it: so all is told at this frame, whether it is captured or not. */
  async #draw(): Promise<readonly ParticleProblem[]> {
    if (this.#endless) return []
    for (let drawings = 0; drawings < maxDraws; drawings += 1) {
      await this.#page.draw(this.loaded)
      const { again, problems } = await this.#page.settle(this.loaded)
      if (!again || problems.length > 0) return problems
    }
    this.#endless = true
    return [{ message: endlessMessage }]
  }

  /** Leaves out the frames before one. */
  skipTo(frame: number): void {
    this.#at = Math.max(this.#at, frame - 1)
  }
}
