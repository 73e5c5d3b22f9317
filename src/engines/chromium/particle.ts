import { MediaError } from '../../contract/errors.ts'

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
  /** Of the particle's source, from 1. */
  readonly line?: number
}

/** In one message; the others most often follow from them. */
const mostTold = 3

/** The error of a particle that cannot be played. */
export function refusal(name: string, problems: readonly ParticleProblem[]): MediaError {
  const told = problems
    .slice(0, mostTold)
    .map(({ message, line }) => (line === undefined ? message : `line ${line}: ${message}`))
  const more = problems.length > mostTold ? ` (and ${problems.length - mostTold} more)` : ''
  return new MediaError(6016, `${name}: ${told.join('; ')}${more}`, {
    hint: 'Correct the particle: it brings along all it shows, and draws what its registered timeline tells.',
  })
}
