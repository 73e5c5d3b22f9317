import { MediaError } from '../../contract/errors.ts'

/** Bounds of one browser's work. */
export interface BrowserLimits {
  /** For a browser to start. */
  readonly startMs: number
  /** For one particle to load, to play some frames, or for one picture to be taken. */
  readonly responseMs: number
  /** For what a particle began that takes real time (an image, a stream) to end, so that a frame can be taken. */
  readonly settleMs: number
  /** Processor time for a particle to be played through by a check; what is left then is only looked at. */
  readonly playCpuMs: number
  /** The same in real time, for one that waits. */
  readonly playWallMs: number
  /** Memory that a browser with all its processes may hold. */
  readonly memoryBytes: number
}

/** A machine that does much else is slow; honest particles answer within milliseconds and stay far below 0.5 GiB. */
export const defaultBrowserLimits: BrowserLimits = {
  startMs: 60_000,
  responseMs: 20_000,
  settleMs: 15_000,
  playCpuMs: 20_000,
  playWallMs: 120_000,
  memoryBytes: 1.5 * 2 ** 30,
}

const failureMessages = {
  hang: 'did not answer in time; a script of it may run without end',
  late: 'took longer for a frame than this browser can be kept from drawing by itself, 4 s; chromium-headless-shell waits for longer',
  memory: 'takes too much memory',
  crash: 'broke the browser down, most often because memory ran out',
}

/** The browser no longer works, or no longer answers: a new one may. Never leaves this folder. */
export class BrowserFailure extends Error {
  readonly kind: keyof typeof failureMessages
  /** What was played then; undefined where nothing was. */
  readonly particle: string | undefined

  constructor(kind: keyof typeof failureMessages, particle?: string) {
    super(failureMessages[kind])
    this.kind = kind
    this.particle = particle
  }

  /** The same, with the particles that it concerns. */
  withParticle(particle: string): BrowserFailure {
    return this.particle === undefined ? new BrowserFailure(this.kind, particle) : this
  }

  /** What it is to those who asked for the work. */
  toMediaError(): MediaError {
    if (this.particle === undefined) {
      return new MediaError(6402, 'the browser broke down', { cause: this, hint: 'Try again.' })
    }
    return new MediaError(6016, `${this.particle} ${this.message}`, {
      cause: this,
      hint: 'Make the particle simpler: it must answer each frame within a second and hold little memory.',
    })
  }
}

/** Does work, and once again where the browser broke down at the first try. */
export async function retryOnBrowserFailure<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof BrowserFailure)) throw error
  }
  return await work()
}
