import type { Frame } from '../clean/frame.ts'
import type { Bounds } from '../geometry.ts'
import { expandBox, intersectBoxes, type TextBox } from './box.ts'
import { connectedComponents, type MapComponent } from './connected-components.ts'

/** What the detector is given: planes of blue, green and red, normalised, with sides it can halve five times. */
interface DetectorInput {
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

/** A map of the probability that a pixel lies in the core of a line of text. */
interface ProbabilityMap {
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** Probability from which a pixel counts as core. */
const coreThreshold = 0.3

/** Cores of fewer pixels on a side are noise. */
const minCoreSide = 2

/**
 * How far the core of a line is grown, times its area by its circumference: the model is trained on cores that are
 * shrunk by a distance of that kind (Liao et al., Real-time scene text detection with differentiable binarization).
 */
const unclipRatio = 1.6

/** The boxes of text in a map, one for each core, with its mean probability as score. Those of tilted lines may lead out of it. */
export function textBoxes(map: ProbabilityMap): TextBox[] {
  return connectedComponents(map, coreThreshold).flatMap((core) => {
    const width = core.right - core.left
    const height = core.bottom - core.top
    if (Math.min(width, height) < minCoreSide) return []
    // A line that is not level fills little of its box: it is as thick as its area by its length.
    const isSlender = core.count < (width * height) / 2
    const bar = isSlender ? fitTiltedBar(core) : undefined
    const length = bar?.length ?? (isSlender ? Math.hypot(width, height) : Math.max(width, height))
    const thickness = Math.min(core.count / length, width, height)
    const distance = (unclipRatio * length * thickness) / (2 * (length + thickness))
    const letters = thickness + 2 * distance
    // Corners of a bar lie further out than its sides.
    const by = distance * (bar ? Math.abs(Math.cos(bar.angle)) + Math.abs(Math.sin(bar.angle)) : 1)
    const score = core.sum / core.count
    if (bar)
      return [{ ...expandBox(centredBox(core), by), score, tilt: { angle: bar.angle, letterSize: letters } }]
    const whole = { left: 0, top: 0, right: map.width, bottom: map.height }
    return [{ ...intersectBoxes(expandBox(core, by), whole), score }]
  })
}

/** A box around a core, with the middle of its pixels in its middle: where the picture's edge cuts it, that is on its axis still. */
function centredBox({ left, top, right, bottom, count, moments }: MapComponent): Bounds {
  const [x, y] = [moments.x / count + 0.5, moments.y / count + 0.5]
  const [across, down] = [Math.max(x - left, right - x), Math.max(y - top, bottom - y)]
  return { left: x - across, top: y - down, right: x + across, bottom: y + down }
}

/** Least sine and cosine of the angle of a line that counts as tilted: some 6 degrees. */
const minTilt = 0.1

/** Least length of such a line, times its thickness, and how much of the bar of its kind it fills: no bend, no cross. */
const minAspect = 2
const minFill = 0.75

/** The angle and length of a core that is a tilted bar; undefined of any other. */
function fitTiltedBar({
  count,
  moments,
}: MapComponent): { readonly angle: number; readonly length: number } | undefined {
  const { x, y, xx, yy, xy } = moments
  const [across, down] = [xx / count - (x / count) ** 2, yy / count - (y / count) ** 2]
  const both = xy / count - (x * y) / count ** 2
  const angle = Math.atan2(2 * both, across - down) / 2
  if (Math.min(Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))) < minTilt) return undefined
  // A bar's sides follow from how its pixels are spread along them.
  const middle = (across + down) / 2
  const apart = Math.hypot((across - down) / 2, both)
  const length = Math.sqrt(12 * (middle + apart))
  const thickness = Math.sqrt(12 * Math.max(0, middle - apart))
  const isBar = length >= minAspect * thickness && count >= minFill * length * thickness
  return isBar ? { angle, length } : undefined
}
