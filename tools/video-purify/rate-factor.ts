/** Samples of a video, encoded with a rate factor. */
export interface Trial {
  readonly crf: number
  /** How near they are to the source, of brightness. */
  readonly decibels: number
  /** What a frame takes on average. */
  readonly bytes: number
}

/** Finest and coarsest factor: for the sake of its size no result is coarser than the encoder's own idea of good. */
const factorLimits = { finest: 6, coarsest: 23 }

/** How near to the source a result is to be, dB of brightness: a little more than the 45 that are promised. */
export const targetDecibels = 45.8

/** What a step is usually worth, dB, and how many usually double the size: by film, talk and noise at 1.5 to 25 Mb/s. */
const decibelsPerStep = 0.6
const stepsToDouble = 6

const fidelity: TrialQuantity = { valueOf: ({ decibels }) => decibels, usualSlope: decibelsPerStep }
const frameSize: TrialQuantity = { valueOf: ({ bytes }) => Math.log2(bytes), usualSlope: 1 / stepsToDouble }

/**
 * The rate factor with which a video comes out as near to its source as wanted or, where that would make its frames
 * larger than they may be, as large as that, by what trials have shown.
 *
 * @param trials one at least
 * @param largest bytes of a frame
 */
export function chooseRateFactor(trials: readonly Trial[], largest: number): number {
  const near = solveFactor(trials, targetDecibels, fidelity)
  const small = solveFactor(trials, Math.log2(largest), frameSize)
  const chosen = Math.max(factorLimits.finest, Math.min(factorLimits.coarsest, Math.max(near, small)))
  return Math.round(10 * chosen) / 10
}

/** How near to its source a video comes out with a factor, dB, by what trials have shown. */
export function predictDecibels(trials: readonly Trial[], crf: number): number {
  const nearest = trials.toSorted((one, other) => Math.abs(one.crf - crf) - Math.abs(other.crf - crf))[0]
  return nearest ? nearest.decibels + (nearest.crf - crf) * decibelsPerStep : targetDecibels
}

interface TrialQuantity {
  readonly valueOf: (trial: Trial) => number
  /** By how much it usually falls. */
  readonly usualSlope: number
}

/** Where a quantity that falls with the factor has a value: on the line through the two trials next to it. */
function solveFactor(
  trials: readonly Trial[],
  value: number,
  { valueOf, usualSlope }: TrialQuantity,
): number {
  const [one, other] = trials.toSorted((a, b) => Math.abs(valueOf(a) - value) - Math.abs(valueOf(b) - value))
  if (!one) return factorLimits.finest
  const measuredSlope = other ? (valueOf(one) - valueOf(other)) / (other.crf - one.crf) : usualSlope
  // Trials that lie close together tell no slope.
  const slope =
    measuredSlope >= usualSlope / 4 && measuredSlope <= usualSlope * 4 ? measuredSlope : usualSlope
  return one.crf + (valueOf(one) - value) / slope
}
