import type { Point, Size } from '../../../src/media/geometry.ts'
import { ffmpeg } from '../../video-split-screen/media.ts'

/** Distance of spots in the source, coded pixels. */
const spotDistance = 60

interface SpotVideo extends Size {
  readonly seconds: number
  /** Frames per second, as ffmpeg reads them. */
  readonly rate: string
  /** Sample aspect ratio. */
  readonly sar?: string
}

/** Creates a still video of soft spots on grey, whose centres can be measured to fractions of a pixel. */
export async function spotVideo(path: string, { width, height, seconds, rate, sar = '1' }: SpotVideo) {
  const distance = (axis: string) => `pow(mod(${axis},${spotDistance})-${spotDistance / 2},2)`
  // The brightness of a spot says which one it is.
  const brightness = `90+10*mod(7*floor(X/${spotDistance})+3*floor(Y/${spotDistance}),11)`
  const lum = `40+(${brightness})*exp(-(${distance('X')}+${distance('Y')})/60)`
  // Odd sides require 4:4:4 chroma.
  const format = width % 2 || height % 2 ? 'yuv444p' : 'yuv420p'
  await ffmpeg(
    ...['-f', 'lavfi', '-i'],
    `color=black:s=${width}x${height}:r=${rate},format=${format},trim=end_frame=1,geq=lum='${lum}':cb=128:cr=128,loop=-1:1:0,setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709,setsar=${sar}`,
    ...['-t', String(seconds), '-c:v', 'ffv1', '-g', '5', '-colorspace', 'bt709', '-color_range', 'tv', path],
  )
  return path
}

/** A spot of the source: its centre in coded pixels, where the centre of the first pixel is 0.5, and its brightness. */
export interface Spot extends Point {
  readonly peak: number
}

/** Returns the spots of a source of a size, row by row. */
export function spotsOf({ width, height }: Size): Spot[] {
  const count = (side: number) => Math.floor((side - spotDistance / 2) / spotDistance) + 1
  return Array.from({ length: count(height) }, (_row, row) =>
    Array.from({ length: count(width) }, (_, column) => ({
      x: spotDistance * (column + 0.5) + 0.5,
      y: spotDistance * (row + 0.5) + 0.5,
      peak: 130 + 10 * ((7 * column + 3 * row) % 11),
    })),
  ).flat()
}

/**
 * Returns the centre and the peak of the spot near a position in a picture of brightnesses, 0 to 255. `radius`: horizontal
 * and vertical distance that contains the spot and no other one, pixels.
 */
export function measureSpot(
  picture: Uint8Array,
  { width, height }: Size,
  { near, radius }: { readonly near: Point; readonly radius: Size },
): Spot {
  const inside = (value: number, side: number) => Math.min(side, Math.max(0, Math.round(value)))
  let [sum, x, y, peak] = [0, 0, 0, 0]
  for (
    let row = inside(near.y - radius.height, height);
    row < inside(near.y + radius.height, height);
    row += 1
  )
    for (
      let column = inside(near.x - radius.width, width);
      column < inside(near.x + radius.width, width);
      column += 1
    ) {
      const value = picture[row * width + column] ?? 0
      peak = Math.max(peak, value)
      // The encoder spoils the faint edge of a spot.
      const weight = Math.max(0, value - 60)
      sum += weight
      x += weight * (column + 0.5)
      y += weight * (row + 0.5)
    }
  return { x: x / sum, y: y / sum, peak }
}
