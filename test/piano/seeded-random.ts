/** Seeded random numbers. */
export interface SeededRandom {
  /** Uniformly distributed number from 0 to 1. */
  uniform(): number
  /** Integer from `from` to `to`, inclusive. */
  integer(from: number, to: number): number
  /** One of the choices. */
  pick<T>(choices: readonly T[]): T
  /** About Gaussian: mean 0, standard deviation about 1. */
  gaussian(): number
}

/** Creates a generator from a seed (mulberry32). */
export function createRandom(seed: number): SeededRandom {
  let state = Math.imul(seed + 1, 0x9e37_79b9)
  const share = () => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    uniform: share,
    integer: (from, to) => from + Math.floor(share() * (to - from + 1)),
    pick: (choices) => choices[Math.floor(share() * choices.length)] as (typeof choices)[number],
    gaussian: () => (share() + share() + share() + share() - 2) * Math.sqrt(3),
  }
}
