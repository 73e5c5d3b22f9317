import { MediaError } from '../../contract/errors.ts'
import { describeProblems } from '../../media/particle/problem.ts'

/** A particle as the engine plays it. */
export interface CaptureParticle {
  /** Name in error messages, such as `title` or `beats[2]`. */
  readonly name: string
  /** Its whole source, untrusted. */
  readonly html: string
  readonly compositionId: string
  /** Its canvas in pixels; if the frame has another size, the canvas is scaled uniformly to cover it. */
  readonly width: number
  readonly height: number
  /** In seconds. */
  readonly start: number
  readonly duration: number
  readonly zIndex: number
  /** Draw on black instead of transparent. */
  readonly opaque: boolean
}

/** A problem of a particle. */
export interface ParticleProblem {
  readonly message: string
  /** Set if the particle can still be rendered; otherwise the problem is an error. */
  readonly severity?: 'warning'
  /** Line of the particle's source, from 1. */
  readonly line?: number
}

/** Whether a problem prevents rendering. */
export function isError({ severity }: ParticleProblem): boolean {
  return severity !== 'warning'
}

/** Returns the warning about a particle that registers no timeline. */
export function noTimelineWarning({ compositionId }: CaptureParticle): ParticleProblem {
  const example = `window.__timelines = { ${JSON.stringify(truncateMessage(compositionId))}: { duration: () => 5, seek: (t) => { … } } }`
  const message = `no timeline is registered, so the particle is shown at rest, with animations at their end; to move it, add a script with ${example}`
  return { severity: 'warning', message }
}

/** Characters of a problem message, which the untrusted page may have written. */
const maxMessageLength = 300

/** Returns the beginning of a text of a page. */
export function truncateMessage(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text
}

/** Returns the error 6016 of a particle that cannot be played. */
export function particleError(name: string, problems: readonly ParticleProblem[]): MediaError {
  return new MediaError(6016, `${name}: ${describeProblems(problems)}`, {
    hint: 'Correct the particle: embed everything it shows, and draw the state that its registered timeline seeks to.',
  })
}
