import type { Picture } from './points.ts'

/** Pictures of one another's half size, the largest first. */
export type Pyramid = readonly Picture[]

/** The mean of each square of `factor` pixels. */
export function reduced(
  data: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  factor: number,
): Uint8Array {
  const [columns, rows] = [Math.floor(width / factor), Math.floor(height / factor)]
  const small = new Uint8Array(columns * rows)
  // Of large squares every other line is enough.
  const step = factor > 2 ? 2 : 1
  const count = factor * Math.ceil(factor / step)
  const half = count >> 1
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      let sum = half
      let at = y * factor * width + x * factor
      for (let row = 0; row < factor; row += step, at += step * width) {
        for (let column = 0; column < factor; column += 1) sum += data[at + column] ?? 0
      }
      small[y * columns + x] = sum / count
    }
  }
  return small
}

/** Halves pictures until the last is about 60 wide; a pixel of which anything is hidden is. */
export function pyramidOf(
  data: Uint8Array,
  size: { width: number; height: number },
  masks: readonly Uint8Array[],
): Pyramid {
  let { width, height } = size
  let plane = data
  return masks.map((hidden, level) => {
    if (level > 0) {
      plane = reduced(plane, { width, height }, 2)
      width >>= 1
      height >>= 1
    }
    return { x: 0, y: 0, width, height, data: plane, hidden }
  })
}
