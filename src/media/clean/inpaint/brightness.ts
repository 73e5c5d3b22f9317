import type { Affine } from './affine.ts'
import type { Ring } from './ring.ts'
import type { Crop } from './view.ts'

/** Deviation of a view's brightness, in levels, from which on it tells how bright a frame is. */
const telling = 4

/**
 * How a view's brightness goes with the ring's, found over all that is seen of both, the ring's as what follows: so
 * that black, on which nothing can be laid, is known as black. Undefined where the view has no contrast.
 */
export function brightnessOf(
  ring: Ring,
  { x: left, y: top, width, height, data, hidden }: Crop,
  [a, b, c, d, e, f]: Affine,
): { readonly gain: number; readonly offset: number } | undefined {
  let [count, there, here, squares, products] = [0, 0, 0, 0, 0]
  for (let index = 0; index < ring.count; index += 1) {
    const [px, py] = [ring.x[index] ?? 0, ring.y[index] ?? 0]
    const x = Math.round(a * px + b * py + c - left)
    const y = Math.round(d * px + e * py + f - top)
    if (!(x >= 0 && y >= 0 && x < width && y < height) || hidden[y * width + x] !== 0) continue
    const [value, own] = [data[y * width + x] ?? 0, ring.value[index] ?? 0]
    count += 1
    there += value
    here += own
    squares += value * value
    products += value * own
  }
  const spreadOf = squares / count - (there / count) ** 2
  if (count < 50 || spreadOf < telling ** 2) return undefined
  const share = Math.min(4, Math.max(0.02, (products / count - (there / count) * (here / count)) / spreadOf))
  return { gain: 1 / share, offset: there / count - here / count / share }
}
