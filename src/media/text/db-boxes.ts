import { expandBox, intersectBoxes, type TextBox } from './box.ts'
import { connectedComponents, type MapComponent } from './pieces.ts'
import type { Bounds } from '../geometry.ts'

/** A map of the probability that a pixel lies in the core of a line of text. */
export interface ProbabilityMap {
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
    if (bar) return [{ ...expandBox(centredBox(core), by), score, tilt: { angle: bar.angle, letters } }]
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
