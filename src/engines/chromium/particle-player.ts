import type { HostPage, LoadedParticle } from './host-page.ts'
import { isError, type CaptureParticle, type ParticleProblem } from './particle.ts'
import { particleTime } from '../../media/particle/frame-spans.ts'

/** Frames per call to the page, so that the call returns within its time limit. */
const maxFramesPerCall = 30

/** Draws per frame. Events caused by drawing normally end after two or three draws. */
const maxDraws = 20

const endlessMessage =
  'its handlers of drawing events (observers, scrolling, ends of animations) trigger such events again without end; make them stop within one frame'

/** Plays a particle of a page forwards, frame by frame. */
export class ParticlePlayer {
  readonly loaded: LoadedParticle
  readonly #page: HostPage
  readonly #fps: number
  /** The last frame that was played. */
  #position: number
  #still = false
  /** Its drawing events never ended; this is reported once, and it is no longer drawn for its events. */
  #endless = false

  private constructor(
    page: HostPage,
    loaded: LoadedParticle,
    { fps, first }: { fps: number; first: number },
  ) {
    this.#page = page
    this.loaded = loaded
    this.#fps = fps
    this.#position = first - 1
  }

  /**
   * Loads a particle that is visible from frame `first` of the output. Returns no player if it cannot be played. Events
   * that drawing triggers are delivered before it or any other particle plays.
   */
  static async load(
    page: HostPage,
    particle: CaptureParticle,
    timing: { fps: number; first: number },
  ): Promise<{ player?: ParticlePlayer; problems: readonly ParticleProblem[] }> {
    const { loaded, needsDraw, problems } = await page.load(particle)
    if (!loaded) return { problems }
    const player = new ParticlePlayer(page, loaded, timing)
    return { player, problems: needsDraw ? [...problems, ...(await player.#draw())] : problems }
  }

  /** Whether its picture no longer changes. */
  get isStill(): boolean {
    return this.#still
  }

  /** The next frame to play. */
  get nextFrame(): number {
    return this.#position + 1
  }

  /** Whether it shows its state at this frame. */
  hasReached(frame: number): boolean {
    return this.#still || this.#position >= frame
  }

  /** Plays towards a frame, as far as one call to the page reaches. Returns the problems found. */
  async advance(frame: number): Promise<readonly ParticleProblem[]> {
    const times = Array.from({ length: Math.min(frame - this.#position, maxFramesPerCall) }, (_, index) =>
      particleTime(this.loaded.particle, this.#position + 1 + index, this.#fps),
    )
    const { done, still, needsDraw, problems } = await this.#page.advance(this.loaded, times)
    this.#position += done
    this.#still = still
    return needsDraw ? [...problems, ...(await this.#draw())] : problems
  }

  /** Draws until drawing triggers no more events, so that events arrive at this frame whether or not it is captured. */
  async #draw(): Promise<readonly ParticleProblem[]> {
    if (this.#endless) return []
    for (let drawings = 0; drawings < maxDraws; drawings += 1) {
      await this.#page.draw(this.loaded)
      const { needsDraw, problems } = await this.#page.settle(this.loaded)
      if (!needsDraw || problems.some(isError)) return problems
    }
    this.#endless = true
    return [{ message: endlessMessage }]
  }

  /** Skips the frames before this one. */
  skipTo(frame: number): void {
    this.#position = Math.max(this.#position, frame - 1)
  }
}
