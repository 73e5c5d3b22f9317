import { MediaError } from '../../contract/errors.ts'

/** Time and memory limits of one browser. */
export interface BrowserLimits {
  /** Longest start of a browser. */
  readonly startMs: number
  /** Longest single call: loading a particle, playing a batch of frames, or capturing a picture. */
  readonly responseMs: number
  /** Processor time of the browser while one script keeps the page from responding. */
  readonly blockedCpuMs: number
  /** Processor time of the browser for a single call. */
  readonly workCpuMs: number
  /** Longest wait before a frame for work of the particle that takes real time, such as decoding an image. */
  readonly settleMs: number
  /** Processor time a dry run may spend on playing every frame; after it, only the requested pictures are captured. */
  readonly playCpuMs: number
  /** The same limit in wall-clock time, for particles that wait. */
  readonly playWallMs: number
  /** Memory that a browser and its child processes may use together. */
  readonly memoryBytes: number
}

/**
 * Generous, because a busy machine is slow: ordinary particles respond in milliseconds and use less than 0.5 GiB.
 * Endless scripts are found by their processor time, so `responseMs` only ends calls that wait, or a busy machine.
 */
export const defaultBrowserLimits: BrowserLimits = {
  startMs: 60_000,
  responseMs: 40_000,
  blockedCpuMs: 5_000,
  workCpuMs: 20_000,
  settleMs: 15_000,
  playCpuMs: 20_000,
  playWallMs: 120_000,
  memoryBytes: 1.5 * 2 ** 30,
}

const failureMessages = {
  endless: 'did not respond in time; one of its scripts may run forever',
  slow: 'did not respond in time',
  late: 'took longer than 4 s for a frame, the longest time this browser can pause its drawing; chromium-headless-shell has no such limit',
  memory: 'uses too much memory',
  crash: 'crashed the browser, most often because memory ran out',
}

/** The browser crashed, hangs or exceeds a limit; a new browser may succeed. Handled within this folder. */
export class BrowserFailure extends Error {
  readonly kind: keyof typeof failureMessages
  /** Names of the particles that were playing; undefined if none was. */
  readonly particle: string | undefined

  constructor(kind: keyof typeof failureMessages, particle?: string) {
    super(failureMessages[kind])
    this.kind = kind
    this.particle = particle
  }

  /** Whether a new browser would fail the same way: processor time depends on the scripts of a particle alone. */
  get isFinal(): boolean {
    return this.kind === 'endless' && this.particle !== undefined
  }

  /** Whether a particle caused it. The wall-clock time of a response depends on the machine as well. */
  get isOfParticle(): boolean {
    return this.particle !== undefined && this.kind !== 'slow'
  }

  /** Returns this failure with the names of the particles that caused it, unless it has names already. */
  withParticle(particle: string): BrowserFailure {
    return this.particle === undefined ? new BrowserFailure(this.kind, particle) : this
  }

  /** Converts to 6016 if a particle caused it, else to 6402, which is retryable. */
  toMediaError(): MediaError {
    if (this.kind === 'slow') {
      const where = this.particle === undefined ? '' : ` while it showed ${this.particle}`
      return new MediaError(6402, `the browser ${this.message}${where}`, {
        cause: this,
        hint: 'Try again when the machine is less busy. If the problem persists, make the particle simpler.',
      })
    }
    if (this.particle === undefined) {
      return new MediaError(6402, 'the browser crashed', { cause: this, hint: 'Try again.' })
    }
    return new MediaError(6016, `${this.particle} ${this.message}`, {
      cause: this,
      hint: 'Make the particle simpler: it must draw each frame within a second and use little memory.',
    })
  }
}

/** Runs work, and runs it a second time if the first attempt fails with a `BrowserFailure` that is not final. */
export async function retryOnBrowserFailure<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof BrowserFailure) || error.isFinal) throw error
  }
  return await work()
}
