/** An affine map: (x, y) to (a x + b y + c, d x + e y + f), in pixels. */
export type AffineMap = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** The identity map. */
export const identityMap: AffineMap = [1, 0, 0, 0, 1, 0]

/** Returns the map that applies `one` first, then `other`. */
export function composeMaps(one: AffineMap, other: AffineMap): AffineMap {
  const [a, b, c, d, e, f] = other
  const [k, l, m, n, o, p] = one
  return [a * k + b * n, a * l + b * o, a * m + b * p + c, d * k + e * n, d * l + e * o, d * m + e * p + f]
}

/** Returns the inverse of a map with non-zero determinant. */
export function invertMap([a, b, c, d, e, f]: AffineMap): AffineMap {
  const area = a * e - b * d
  return [e / area, -b / area, (b * f - c * e) / area, -d / area, a / area, (c * d - a * f) / area]
}

/** Returns the same map for images `factor` times as large. Pixel coordinates refer to pixel centres. */
export function scaleMap([a, b, c, d, e, f]: AffineMap, factor: number): AffineMap {
  const half = (factor - 1) / 2
  return [
    ...([a, b, factor * c + half * (1 - a - b)] as const),
    ...([d, e, factor * f + half * (1 - d - e)] as const),
  ]
}

/** Returns the largest distance, in pixels, between the images of a rectangle's corners under two maps. */
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
