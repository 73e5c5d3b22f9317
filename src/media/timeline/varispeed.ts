/** Rates between which sound is told to change, so that it plays at another speed and pitch. */
export interface RateChange {
  /** Sound is brought to this rate, Hz. */
  readonly from: number
  /** And then taken for sound of this one. */
  readonly to: number
}

/**
 * Whole rates whose quotient is the speed. Speeds of up to three decimals are met exactly at 48 kHz; of others
 * the closest pair up to 96 kHz is taken, which is off by less than a millisecond in an hour.
 */
export function varispeed(speed: number): RateChange {
  let best: RateChange = { from: 48_000, to: Math.max(1, Math.round(48_000 * speed)) }
  const off = ({ from, to }: RateChange) => Math.abs(to / from / speed - 1)
  for (let from = 48_001; off(best) > 1e-12 && from <= 96_000; from += 1) {
    const change = { from, to: Math.max(1, Math.round(from * speed)) }
    if (off(change) < off(best)) best = change
  }
  return best
}
