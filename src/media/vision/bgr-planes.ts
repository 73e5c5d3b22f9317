import type { Frame } from '../clean/frame.ts'

/** Input of a detector: planes of blue, green and red, row by row. Sides are multiples of 32. */
export interface BgrPlanes {
  readonly width: number
  readonly height: number
  readonly values: Float32Array<ArrayBuffer>
}

/** Linear map of a channel of 0 to 255 to the input of a model. */
interface ChannelScale {
  readonly scale: number
  readonly offset: number
}

const sideMultiple = 32

/**
 * Converts a frame (BT.709, limited range) to planes of blue, green and red, each scaled by its own factor and offset, and
 * padded with 0 at the right and bottom. memory: reused if it is large enough, and overwritten by the next call that
 * reuses it.
 */
export function bgrPlanes(
  frame: Frame,
  [blue, green, red]: readonly [ChannelScale, ChannelScale, ChannelScale],
  memory = new Float32Array(0),
): BgrPlanes {
  const width = Math.ceil(frame.width / sideMultiple) * sideMultiple
  const height = Math.ceil(frame.height / sideMultiple) * sideMultiple
  const count = 3 * width * height
  const values = memory.length < count ? new Float32Array(count) : memory.subarray(0, count).fill(0)
  const chromaWidth = frame.width / 2
  const cbAt = frame.width * frame.height
  const crAt = cbAt + cbAt / 4
  const plane = width * height
  for (let y = 0; y < frame.height; y += 1) {
    const chromaRow = (y >> 1) * chromaWidth
    for (let x = 0; x < frame.width; x += 1) {
      const luma = 1.164 * ((frame.bytes[y * frame.width + x] ?? 0) - 16)
      const cb = (frame.bytes[cbAt + chromaRow + (x >> 1)] ?? 0) - 128
      const cr = (frame.bytes[crAt + chromaRow + (x >> 1)] ?? 0) - 128
      const at = y * width + x
      values[at] = clampByte(luma + 2.112 * cb) * blue.scale + blue.offset
      values[plane + at] = clampByte(luma - 0.213 * cb - 0.533 * cr) * green.scale + green.offset
      values[2 * plane + at] = clampByte(luma + 1.793 * cr) * red.scale + red.offset
    }
  }
  return { width, height, values }
}

function clampByte(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value
}
