import { framePlanes, type Frame, type FramePlane } from '../clean/frame.ts'
import type { Size } from '../geometry.ts'

/**
 * A frame as the means of its cells, 0 to 255: all luma cells in rows, then all Cb and all Cr cells. The means remove
 * noise and small motion.
 */
export interface Thumbnail {
  readonly columns: number
  readonly rows: number
  readonly values: Float32Array
}

/** Cells along the longer side of a frame. */
const longestSide = 48

/** Returns the number of cells of a frame, in proportion to its sides. */
export function thumbnailSize({ width, height }: Size): Pick<Thumbnail, 'columns' | 'rows'> {
  const scale = Math.min(1, longestSide / Math.max(width, height))
  // Chroma has half the resolution, and each cell needs a sample of it.
  const cells = (side: number) => Math.max(1, Math.min(side / 2, Math.round(side * scale)))
  return { columns: cells(width), rows: cells(height) }
}

/** Reduces a frame to the means of its cells. */
export function createThumbnail(frame: Frame): Thumbnail {
  const { columns, rows } = thumbnailSize(frame)
  const values = new Float32Array(3 * columns * rows)
  for (const [index, plane] of framePlanes(frame).entries())
    writeMeans(plane, { columns, rows, values: values.subarray(index * columns * rows) })
  return { columns, rows, values }
}

function writeMeans({ width, height, bytes }: FramePlane, { columns, rows, values }: Thumbnail): void {
  for (let row = 0; row < rows; row += 1) {
    const [top, bottom] = [Math.floor((row * height) / rows), Math.floor(((row + 1) * height) / rows)]
    for (let column = 0; column < columns; column += 1) {
      const [left, right] = [
        Math.floor((column * width) / columns),
        Math.floor(((column + 1) * width) / columns),
      ]
      let sum = 0
      for (let y = top; y < bottom; y += 1) {
        for (let at = y * width + left, end = y * width + right; at < end; at += 1) sum += bytes[at] ?? 0
      }
      values[row * columns + column] = sum / ((bottom - top) * (right - left))
    }
  }
}

/** Returns the luma cells of a thumbnail. */
export function lumaCells({ columns, rows, values }: Thumbnail): Float32Array {
  return values.subarray(0, columns * rows)
}
