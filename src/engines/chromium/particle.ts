import { MediaError } from '../../contract/errors.ts'
import { describeProblems } from '../../media/particle/problem.ts'

/** A particle as the engine plays it. */
export interface CaptureParticle {
  /** For errors, such as `title` or `beats[2]`. */
  readonly name: string
  /** Its whole source; hostile. */
  readonly html: string
  readonly compositionId: string
  /** Its own canvas in pixels; where that is not of the frame's size, it is scaled evenly to cover it. */
  readonly width: number
  readonly height: number
  /** In seconds. */
  readonly start: number
  readonly duration: number
  readonly zIndex: number
  /** It is drawn on black. */
  readonly opaque: boolean
}

/** What is wrong with a particle. */
export interface ParticleProblem {
  readonly message: string
  /** Where it may be meant; else it keeps the particle from being rendered. */
  readonly severity?: 'warning'
  /** Of the particle's source, from 1. */
  readonly line?: number
}

/** As long as a problem is told: the page that it is about may have written it. */
const maxMessageLength = 300

/** A text of a page, of which only the beginning is told. */
export function truncateMessage(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text
}

/** The error of a particle that cannot be played. */
export function particleError(name: string, problems: readonly ParticleProblem[]): MediaError {
  return new MediaError(6016, `${name}: ${describeProblems(problems)}`, {
    hint: 'Correct the particle: it brings along all it shows, and draws what its registered timeline tells.',
  })
}
