import type { Frame } from './patch.ts'

/** One axis of a frame's colours, row by row without gaps; its bytes are the frame's own. */
export interface Plane {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** Brightness, and both axes of colour at half the size. */
export function planesOf({ width, height, bytes }: Frame): readonly [Plane, Plane, Plane] {
  const light = width * height
  const colour = light / 4
  const half = { width: width / 2, height: height / 2 }
  return [
    { width, height, bytes: bytes.subarray(0, light) },
    { ...half, bytes: bytes.subarray(light, light + colour) },
    { ...half, bytes: bytes.subarray(light + colour, light + 2 * colour) },
  ]
}

/** Bytes of a frame. */
export function frameBytes({ width, height }: Pick<Frame, 'width' | 'height'>): number {
  return (width * height * 3) / 2
}
