import type { Frame } from '../clean/patch.ts'

/** What the detector is given: planes of blue, green and red, normalised, with sides it can halve five times. */
export interface DetectorInput {
  readonly width: number
  readonly height: number
  readonly values: Float32Array<ArrayBuffer>
}

const sideMultiple = 32

/** Means and deviations of the pictures it was trained on, in the order blue, green, red as PP-OCR gives them. */
const channelStatistics = [
  { mean: 0.485, deviation: 0.229 },
  { mean: 0.456, deviation: 0.224 },
  { mean: 0.406, deviation: 0.225 },
] as const

/** A frame as the detector takes it, in memory that may be used again; what is added at its right and bottom is even grey. */
export function createDetectorInput(frame: Frame, memory = new Float32Array(0)): DetectorInput {
  const width = Math.ceil(frame.width / sideMultiple) * sideMultiple
  const height = Math.ceil(frame.height / sideMultiple) * sideMultiple
  const count = 3 * width * height
  const values = memory.length < count ? new Float32Array(count) : memory.subarray(0, count).fill(0)
  const chromaWidth = frame.width / 2
  const cbAt = frame.width * frame.height
  const crAt = cbAt + cbAt / 4
  // Limited range to 0..255 and BT.709, as the frames are sent.
  const [blue, green, red] = channelStatistics.map(({ mean, deviation }) => ({
    scale: 1 / (255 * deviation),
    offset: -mean / deviation,
  }))
  if (!blue || !green || !red) throw new TypeError('three channels')
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
