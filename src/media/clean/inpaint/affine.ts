/** Takes (x, y) to (a x + b y + c, d x + e y + f). */
export type AffineMap = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** Leaves all where it is. */
export const identityMap: AffineMap = [1, 0, 0, 0, 1, 0]

/** Does one, then the other. */
export function composeMaps(one: AffineMap, other: AffineMap): AffineMap {
  const [a, b, c, d, e, f] = other
  const [k, l, m, n, o, p] = one
  return [a * k + b * n, a * l + b * o, a * m + b * p + c, d * k + e * n, d * l + e * o, d * m + e * p + f]
}

/** Undoes a map that keeps areas above zero. */
export function invertMap([a, b, c, d, e, f]: AffineMap): AffineMap {
  const area = a * e - b * d
  return [e / area, -b / area, (b * f - c * e) / area, -d / area, a / area, (c * d - a * f) / area]
}

/** The same map between pictures whose sides are `factor` times as long; a pixel's place is its middle. */
export function scaleMap([a, b, c, d, e, f]: AffineMap, factor: number): AffineMap {
  const half = (factor - 1) / 2
  return [
    ...([a, b, factor * c + half * (1 - a - b)] as const),
    ...([d, e, factor * f + half * (1 - d - e)] as const),
  ]
}

/** How far two maps take the corners of a rectangle apart, at most. */
export function cornerDistance(
  one: AffineMap,
  other: AffineMap,
  { width, height }: { width: number; height: number },
): number {
  let most = 0
  for (const x of [0, width]) {
    for (const y of [0, height]) {
      const along = (one[0] - other[0]) * x + (one[1] - other[1]) * y + one[2] - other[2]
      const down = (one[3] - other[3]) * x + (one[4] - other[4]) * y + one[5] - other[5]
      most = Math.max(most, Math.hypot(along, down))
    }
  }
  return most
}
