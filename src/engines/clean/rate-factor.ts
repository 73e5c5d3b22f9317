/** Result of encoding samples of a video with a rate factor (CRF). */
export interface Trial {
  readonly crf: number
  /** Luma PSNR. */
  readonly decibels: number
  /** Mean size of a frame. */
  readonly bytes: number
}

/** Limits of the factor: no result is coarser than the encoder's default. */
const factorLimits = { finest: 6, coarsest: 23 }

/** Target fidelity in dB (luma PSNR), slightly above the promised 45. */
export const targetDecibels = 45.8

/**
 * Typical slopes per step of the factor: decibels, and steps that halve the size. Measured on film, speech and noise at
 * 1.5 to 25 Mb/s.
 */
const decibelsPerStep = 0.6
const stepsToDouble = 6

const fidelity: TrialQuantity = { valueOf: ({ decibels }) => decibels, usualSlope: decibelsPerStep }
const frameSize: TrialQuantity = { valueOf: ({ bytes }) => Math.log2(bytes), usualSlope: 1 / stepsToDouble }

/**
 * Returns the rate factor that reaches the target fidelity or, if frames would exceed `largest` bytes, the size limit.
 * Interpolates between trials, of which there must be at least one.
 */
export function chooseRateFactor(trials: readonly Trial[], largest: number): number {
  const near = solveFactor(trials, targetDecibels, fidelity)
  const small = solveFactor(trials, Math.log2(largest), frameSize)
  const chosen = Math.max(factorLimits.finest, Math.min(factorLimits.coarsest, Math.max(near, small)))
  return Math.round(10 * chosen) / 10
}

/** Returns the expected fidelity at a factor, in dB, based on the nearest trial. */
export function predictDecibels(trials: readonly Trial[], crf: number): number {
  const nearest = trials.toSorted((one, other) => Math.abs(one.crf - crf) - Math.abs(other.crf - crf))[0]
  return nearest ? nearest.decibels + (nearest.crf - crf) * decibelsPerStep : targetDecibels
}

interface TrialQuantity {
  readonly valueOf: (trial: Trial) => number
  /** Typical decrease per step of the factor. */
  readonly usualSlope: number
}

/** Returns the factor at which a decreasing quantity has a value, on the line through the two nearest trials. */
function solveFactor(
  trials: readonly Trial[],
  value: number,
  { valueOf, usualSlope }: TrialQuantity,
): number {
  const [one, other] = trials.toSorted((a, b) => Math.abs(valueOf(a) - value) - Math.abs(valueOf(b) - value))
  if (!one) return factorLimits.finest
  const measuredSlope = other ? (valueOf(one) - valueOf(other)) / (other.crf - one.crf) : usualSlope
  // Trials with close factors yield no reliable slope.
  const slope =
    measuredSlope >= usualSlope / 4 && measuredSlope <= usualSlope * 4 ? measuredSlope : usualSlope
  return one.crf + (valueOf(one) - value) / slope
}
