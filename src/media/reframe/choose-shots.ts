/** A shot of a video: its frames, and the one that shows it best. */
export interface ChosenShot {
  readonly first: number
  readonly end: number
  /** Frame in its middle half, with contrast. */
  readonly best: number
}

/** Shots shorter than this are kept only if there is no longer one, seconds. */
const minShotSeconds = 0.5

/** A frame with this share of the largest contrast in its shot is good enough, 0 to 1. */
const goodContrast = 0.8

/** Length after which a longer shot is no better cover, seconds. */
const enoughSeconds = 6

/** Options of `chooseShots`. */
interface ChooseShotsOptions {
  /** Standard deviation of the luma of each frame, 0 to 255. */
  readonly contrasts: readonly number[]
  /** First frames of new shots, ascending. */
  readonly changes: readonly number[]
  /** Frames per second. */
  readonly perSecond: number
  /** Most shots to return. */
  readonly limit: number
}

/**
 * Divides a video into shots, and returns the best ones first: long ones with contrast. Short ones, such as flashes, are
 * left out unless no other exists. Returns none for a video without frames.
 */
export function chooseShots({ contrasts, changes, perSecond, limit }: ChooseShotsOptions): ChosenShot[] {
  const starts = [0, ...changes.filter((frame) => frame > 0 && frame < contrasts.length)]
  const shots = starts
    .map((first, index) => ({ first, end: starts[index + 1] ?? contrasts.length }))
    .filter(({ first, end }) => end > first)
  const long = shots.filter(({ first, end }) => end - first >= minShotSeconds * perSecond)
  const kept = (long.length > 0 ? long : shots).map((shot) => {
    const best = bestFrame(shot, contrasts)
    const seconds = Math.min(enoughSeconds, (shot.end - shot.first) / perSecond)
    return { ...shot, best, worth: (contrasts[best] ?? 0) * Math.sqrt(seconds) }
  })
  return kept
    .toSorted((one, other) => other.worth - one.worth)
    .slice(0, limit)
    .map(({ first, end, best }) => ({ first, end, best }))
}

/** Returns the frame nearest to the middle of the middle half that has enough contrast. */
function bestFrame(shot: Pick<ChosenShot, 'first' | 'end'>, contrasts: readonly number[]): number {
  const [length, middle] = [shot.end - shot.first, Math.floor((shot.first + shot.end - 1) / 2)]
  const reach = Math.floor(length / 4)
  const candidates = Array.from({ length: 2 * reach + 1 }, (_, index) => middle - reach + index)
  const most = Math.max(...candidates.map((frame) => contrasts[frame] ?? 0))
  const good = candidates.filter((frame) => (contrasts[frame] ?? 0) >= goodContrast * most)
  return good.reduce(
    (one, other) => (Math.abs(other - middle) < Math.abs(one - middle) ? other : one),
    good[0] ?? middle,
  )
}
