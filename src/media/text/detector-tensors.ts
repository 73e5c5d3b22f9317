import type { Frame } from '../clean/frame.ts'
import type { Bounds } from '../geometry.ts'
import { bgrPlanes, type BgrPlanes } from '../vision/bgr-planes.ts'
import { expandBox, intersectBoxes, type TextBox } from './box.ts'
import { connectedComponents, type MapComponent } from './connected-components.ts'

/** Mean and standard deviation of each channel, 0 to 1, in the order blue, green, red (PP-OCR preprocessing). */
const channelStatistics = {
  blue: { mean: 0.485, deviation: 0.229 },
  green: { mean: 0.456, deviation: 0.224 },
  red: { mean: 0.406, deviation: 0.225 },
} as const

/** Returns the map of a channel of 0 to 255 to the normalised input of the detector. */
const normalise = ({ mean, deviation }: { readonly mean: number; readonly deviation: number }) => ({
  scale: 1 / (255 * deviation),
  offset: -mean / deviation,
})

const channelScales = [
  normalise(channelStatistics.blue),
  normalise(channelStatistics.green),
  normalise(channelStatistics.red),
] as const

/** Converts a frame to the detector's normalised input. memory: see `bgrPlanes`. */
export function createDetectorInput(frame: Frame, memory?: Float32Array<ArrayBuffer>): BgrPlanes {
  return bgrPlanes(frame, channelScales, memory)
}

/** Probability of each pixel, 0 to 1, to be in the core of a text line; row by row. */
interface ProbabilityMap {
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** Least probability of a core pixel. */
const coreThreshold = 0.3

/** Least side of a core, px; smaller ones are noise. */
const minCoreSide = 2

/**
 * Cores are expanded by this times area / perimeter, because the model is trained on text areas that were shrunk by
 * such a distance (Liao et al., Real-time scene text detection with differentiable binarization).
 */
const unclipRatio = 1.6

/** Returns one box per core, with the core's mean probability as score. Boxes of tilted lines may extend beyond the map. */
export function textBoxes(map: ProbabilityMap): TextBox[] {
  return connectedComponents(map, coreThreshold).flatMap((core) => {
    const width = core.right - core.left
    const height = core.bottom - core.top
    if (Math.min(width, height) < minCoreSide) return []
    // A tilted line fills little of its box; its thickness is its area divided by its length.
    const isSlender = core.count < (width * height) / 2
    const bar = isSlender ? fitTiltedBar(core) : undefined
    const length = bar?.length ?? (isSlender ? Math.hypot(width, height) : Math.max(width, height))
    const thickness = Math.min(core.count / length, width, height)
    const distance = (unclipRatio * length * thickness) / (2 * (length + thickness))
    const letters = thickness + 2 * distance
    // The corners of a tilted bar are farther out than its sides.
    const by = distance * (bar ? Math.abs(Math.cos(bar.angle)) + Math.abs(Math.sin(bar.angle)) : 1)
    const score = core.sum / core.count
    if (bar)
      return [{ ...expandBox(centredBox(core), by), score, tilt: { angle: bar.angle, letterSize: letters } }]
    const whole = { left: 0, top: 0, right: map.width, bottom: map.height }
    return [{ ...intersectBoxes(expandBox(core, by), whole), score }]
  })
}

/** Returns the least box around a core that is centred on its centroid, which is on the line's axis even if the picture's edge cuts the core. */
function centredBox({ left, top, right, bottom, count, moments }: MapComponent): Bounds {
  const [x, y] = [moments.x / count + 0.5, moments.y / count + 0.5]
  const [across, down] = [Math.max(x - left, right - x), Math.max(y - top, bottom - y)]
  return { left: x - across, top: y - down, right: x + across, bottom: y + down }
}

/** Least sine and cosine of the angle of a tilted line, about 6 degrees. */
const minTilt = 0.1

/** Least length of a tilted line relative to its thickness, and least share of its bar that it fills; excludes bent and crossing shapes. */
const minAspect = 2
const minFill = 0.75

/** Returns the angle in radians and the length in px of a core shaped like a tilted bar, else undefined. Uses second moments. */
function fitTiltedBar({
  count,
  moments,
}: MapComponent): { readonly angle: number; readonly length: number } | undefined {
  const { x, y, xx, yy, xy } = moments
  const [across, down] = [xx / count - (x / count) ** 2, yy / count - (y / count) ** 2]
  const both = xy / count - (x * y) / count ** 2
  const angle = Math.atan2(2 * both, across - down) / 2
  if (Math.min(Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))) < minTilt) return undefined
  // The variance along a side of length s is s² / 12.
  const middle = (across + down) / 2
  const apart = Math.hypot((across - down) / 2, both)
  const length = Math.sqrt(12 * (middle + apart))
  const thickness = Math.sqrt(12 * Math.max(0, middle - apart))
  const isBar = length >= minAspect * thickness && count >= minFill * length * thickness
  return isBar ? { angle, length } : undefined
}
