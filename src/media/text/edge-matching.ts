import type { LumaCrop, Luma } from './luma.ts'

/** Edge points of letters, with the luma gradient at each, by which a text is recognised again. */
export interface EdgePoints {
  /** Positions in the picture from which they were taken. */
  readonly x: Int32Array
  readonly y: Int32Array
  readonly gradientX: Float32Array
  readonly gradientY: Float32Array
}

/** Points per text; more take time without a better match. */
const maxPoints = 1500

/** Least gradient of an edge, as a share of the 97th percentile. */
const minGradient = 0.35

/** Returns the edge points of a crop for which `isIn` is true. */
export function edgePoints(
  { left, top, width, height, values }: LumaCrop,
  isIn: (x: number, y: number) => boolean = () => true,
): EdgePoints {
  const sizes = new Float32Array(Math.max(0, (width - 1) * (height - 1)))
  const slopeAt = (index: number) => {
    const x = index % (width - 1)
    const y = (index - x) / (width - 1)
    const at = y * width + x
    const here = values[at] ?? 0
    return { x, y, slopeX: (values[at + 1] ?? 0) - here, slopeY: (values[at + width] ?? 0) - here }
  }
  for (let index = 0; index < sizes.length; index += 1) {
    const { x, y, slopeX, slopeY } = slopeAt(index)
    sizes[index] = isIn(left + x, top + y) ? Math.hypot(slopeX, slopeY) : 0
  }
  const steepest = sizes.toSorted()[Math.floor(sizes.length * 0.97)] ?? 0
  const least = Math.max(2, minGradient * steepest)
  const edges: number[] = []
  for (const [index, size] of sizes.entries()) if (size >= least) edges.push(index)
  const step = Math.max(1, edges.length / maxPoints)
  const count = Math.min(edges.length, maxPoints)
  const points = Array.from({ length: count }, (_, index) => slopeAt(edges[Math.floor(index * step)] ?? 0))
  return {
    x: Int32Array.from(points, ({ x }) => left + x),
    y: Int32Array.from(points, ({ y }) => top + y),
    gradientX: Float32Array.from(points, ({ slopeX }) => slopeX),
    gradientY: Float32Array.from(points, ({ slopeY }) => slopeY),
  }
}

/** How well a text's edges match a picture. */
export interface EdgeMatch {
  /** Contrast relative to the original, which is 1; negative if the gradients are opposite. */
  readonly strength: number
  /** Cosine similarity of the gradients, -1 to 1. */
  readonly similarity: number
  /** Share of the points that are inside the picture. */
  readonly visibleShare: number
}

/** Matches edge points, moved by whole pixels, with a picture. */
export function matchEdges(strokes: EdgePoints, { width, height, values }: Luma, moved: Offset): EdgeMatch {
  let [product, own, there, inside] = [0, 0, 0, 0]
  for (let point = 0; point < strokes.x.length; point += 1) {
    const x = (strokes.x[point] ?? 0) + moved.x
    const y = (strokes.y[point] ?? 0) + moved.y
    if (x < 0 || y < 0 || x >= width - 1 || y >= height - 1) continue
    const at = y * width + x
    const here = values[at] ?? 0
    const slopeX = (values[at + 1] ?? 0) - here
    const slopeY = (values[at + width] ?? 0) - here
    const [ownX, ownY] = [strokes.gradientX[point] ?? 0, strokes.gradientY[point] ?? 0]
    product += slopeX * ownX + slopeY * ownY
    own += ownX * ownX + ownY * ownY
    there += slopeX * slopeX + slopeY * slopeY
    inside += 1
  }
  return {
    strength: own > 0 ? product / own : 0,
    similarity: own > 0 && there > 0 ? product / Math.sqrt(own * there) : 0,
    visibleShare: strokes.x.length > 0 ? inside / strokes.x.length : 0,
  }
}

/** Displacement in pixels. */
export interface Offset {
  readonly x: number
  readonly y: number
}

/** Finds the whole-pixel offset within `reach` of `around` with the highest similarity. */
export function findBestMatch(
  strokes: EdgePoints,
  luma: Luma,
  { around, reach }: { readonly around: Offset; readonly reach: number },
): EdgeMatch & { readonly offset: Offset } {
  const middle = { x: Math.round(around.x), y: Math.round(around.y) }
  let best = { ...matchEdges(strokes, luma, middle), offset: middle }
  for (let y = middle.y - reach; y <= middle.y + reach; y += 1) {
    for (let x = middle.x - reach; x <= middle.x + reach; x += 1) {
      const one = matchEdges(strokes, luma, { x, y })
      // Prefer the expected position unless another one is clearly better.
      if (one.similarity > best.similarity + 0.02) best = { ...one, offset: { x, y } }
    }
  }
  return best
}
