import type { Size } from '../geometry.ts'

/** Returns the largest size of a shape (width / height) within a picture, with even sides. */
export function largestCrop({ width, height }: Size, aspect: number): Size {
  const [mostWidth, mostHeight] = [evenWithin(width, width), evenWithin(height, height)]
  return width / height > aspect
    ? { width: evenWithin(mostHeight * aspect, mostWidth), height: mostHeight }
    : { width: mostWidth, height: evenWithin(mostWidth / aspect, mostHeight) }
}

/** Returns the even length nearest to a length, at least 2 and at most another one. */
export function evenWithin(length: number, most: number): number {
  return Math.max(2, Math.min(2 * Math.round(length / 2), 2 * Math.floor(most / 2)))
}
