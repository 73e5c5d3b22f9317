/** Rates between which sound is told to change, so that it plays at another speed and pitch. */
export interface RateChange {
  /** Sound is brought to this rate, Hz. */
  readonly from: number
  /** And then taken for sound of this one. */
  readonly to: number
}

/** A little less than a millisecond in an hour, as a share. */
const tolerance = 0.9e-3 / 3600

/**
 * Whole rates whose quotient is the speed. Speeds of up to three decimals are met exactly at 48 kHz; for others it
 * is off by less than a millisecond in an hour, at up to 96 kHz unless the speed is all but a simple fraction.
 */
export function varispeed(speed: number): RateChange {
  const off = ({ from, to }: RateChange) => Math.abs(to / from / speed - 1)
  const plain = { from: 48_000, to: Math.round(48_000 * speed) }
  if (off(plain) < 1e-12) return plain
  // Convergents of its continued fraction: each closer than all quotients of smaller numbers.
  let last: RateChange = { from: 0, to: 1 }
  let found: RateChange = { from: 1, to: Math.floor(speed) }
  let rest = speed - found.to
  while (off(found) > tolerance) {
    const whole = Math.floor(1 / rest)
    rest = 1 / rest - whole
    const next = { from: whole * found.from + last.from, to: whole * found.to + last.to }
    last = found
    found = next
  }
  const times = Math.ceil(48_000 / found.from)
  return { from: times * found.from, to: times * found.to }
}
