import type { Frame } from '../../src/media/clean/frame.ts'
import { sampleAt, sampleGrid } from './sample-world.ts'
import { createWorld, seededNumbers, type World } from './world.ts'

/** Generated clean footage. `frameAt` always returns the same pixels for an index. */
export interface Scene {
  readonly width: number
  readonly height: number
  readonly count: number
  readonly frameAt: (index: number) => Frame
}

/** Affine map from a pixel (x, y) of a frame to the world: (a x + b y + c, d x + e y + f). */
type View = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** Camera motion by frame index. Lengths are in 480ths of the frame's width. */
interface CameraShot {
  readonly view: (index: number, count: number) => View
  /** Brightness factor; 1 is unchanged. */
  readonly gain?: (index: number, count: number) => number
  /** Whether a textured object crosses the lower part of the picture. */
  readonly hasWalker?: boolean
}

const translatedView = (x: number, y: number): View => [1, 0, x, 0, 1, y]

/** Scales and rotates around the middle of a frame of 480 x 270. */
function rotatedView(scale: number, angle: number, [x, y]: readonly [number, number]): View {
  const [cos, sin] = [scale * Math.cos(angle), scale * Math.sin(angle)]
  return [cos, -sin, x + 240 - cos * 240 + sin * 135, sin, cos, y + 135 - sin * 240 - cos * 135]
}

const shakyView = (index: number): View =>
  rotatedView(1 + 0.004 * Math.sin(index / 17), 0.008 * Math.sin(index / 9 + 1), [
    260 + 5 * Math.sin(index / 6) + 2.2 * Math.sin(index * 1.3),
    160 + 4 * Math.sin(index / 7 + 2) + 1.8 * Math.sin(index * 1.1 + 1),
  ])

/** Camera motions by name. */
export const shots = {
  static: { view: () => translatedView(200, 120) },
  'slow pan': { view: (index) => translatedView(40 + 1.3 * index, 120) },
  'fast pan': { view: (index) => translatedView(20 + 11.7 * index, 120) },
  'diagonal pan': { view: (index) => translatedView(60 + 2.6 * index, 40 + 1.45 * index) },
  zoom: { view: (index) => rotatedView(1.15 * 0.996 ** index, 0, [240, 140]) },
  'hand-held': { view: shakyView },
  cut: {
    view: (index, count) =>
      index < count / 2 ? translatedView(100, 60) : translatedView(900 + 0.8 * index, 330),
  },
  fade: {
    view: (index) => translatedView(150 + 0.9 * index, 120),
    gain: (index, count) => Math.min(1, (3 * index) / count, (3 * (count - 1 - index)) / count),
  },
  walker: { view: () => translatedView(200, 120), hasWalker: true },
} as const satisfies Record<string, CameraShot>

export type ShotName = keyof typeof shots

const worlds = new Map<string, World>()

/** Worlds are cached, because many scenes share one. */
function cachedWorld(width: number, height: number, seed: number): World {
  const key = `${width} ${height} ${seed}`
  const world = worlds.get(key) ?? createWorld(width, height, seed)
  worlds.set(key, world)
  return world
}

/** Creates footage of a shot. `noise` is the standard deviation of the sensor noise, in levels. */
export function createScene(
  name: ShotName,
  {
    width = 480,
    height = 270,
    count = 90,
    noise = 1.2,
    seed = 7,
  }: {
    readonly width?: number
    readonly height?: number
    readonly count?: number
    readonly noise?: number
    readonly seed?: number
  } = {},
): Scene {
  const shot: CameraShot = shots[name]
  const unit = width / 480
  // Wide enough for the fastest camera over all frames.
  const worldWidth = name === 'fast pan' ? Math.max(1500, 520 + 12 * count) : 1500
  const world = cachedWorld(Math.ceil(worldWidth * unit), Math.ceil(640 * unit), seed)
  const grain = createGrain(noise, seed)
  const picture = createPicture(world, { width, height })
  const frameAt = (index: number): Frame => {
    const bytes = new Uint8Array((width * height * 3) / 2)
    const [a, b, c, d, e, f] = shot.view(index, count)
    const view: View = [a, b, c * unit, d, e, f * unit]
    const gain = shot.gain?.(index, count) ?? 1
    const walker = shot.hasWalker === true ? { x: width * (0.1 + (0.8 * index) / count), unit } : undefined
    for (const plane of [0, 1, 2] as const) {
      const values = picture(view, plane)
      const drawn = walker ? withWalker(values, { world, width, height, walker }, plane) : values
      const from = [0, width * height, (width * height * 5) / 4][plane] ?? 0
      expose(drawn, bytes.subarray(from), {
        gain,
        grain: grain(index * 3 + plane),
        black: plane === 0 ? 16 : 128,
      })
    }
    return { width, height, bytes }
  }
  return { width, height, count, frameAt }
}

interface Size {
  readonly width: number
  readonly height: number
}

type Plane = 0 | 1 | 2

/** Positions of a plane's samples along an axis, in pixels. A chroma sample is at the centre of its four pixels. */
function positions(length: number, plane: Plane): Float64Array {
  if (plane === 0) return Float64Array.from({ length }, (_, index) => index)
  return Float64Array.from({ length: Math.ceil((length - 0.5) / 2) }, (_, index) => 2 * index + 0.5)
}

/** Returns a function that samples a view of a plane, and keeps the last one, as many cameras stand still. */
function createPicture(world: World, { width, height }: Size): (view: View, plane: Plane) => Float64Array {
  const last: Partial<Record<Plane, { readonly view: View; readonly values: Float64Array }>> = {}
  return (view, plane) => {
    const known = last[plane]
    if (known?.view.every((factor, index) => factor === view[index]) === true) return known.values
    const at = { x: positions(width, plane), y: positions(height, plane) }
    const values = samplePlane(world, plane, { view, at })
    last[plane] = { view, values }
    return values
  }
}

interface ViewedGrid {
  readonly view: View
  readonly at: { readonly x: Float64Array; readonly y: Float64Array }
}

function samplePlane(
  { width, planes }: World,
  plane: Plane,
  { view: [a, b, c, d, e, f], at: { x: xs, y: ys } }: ViewedGrid,
): Float64Array {
  const source = planes[plane]
  if (b === 0 && d === 0) {
    return sampleGrid(source, width, { x: xs.map((x) => a * x + c), y: ys.map((y) => e * y + f) })
  }
  const values = new Float64Array(xs.length * ys.length)
  for (let row = 0, at = 0; row < ys.length; row += 1) {
    const y = ys[row] ?? 0
    for (let column = 0; column < xs.length; column += 1, at += 1) {
      const x = xs[column] ?? 0
      values[at] = sampleAt(source, width, a * x + b * y + c, d * x + e * y + f)
    }
  }
  return values
}

interface WalkerScene extends Size {
  readonly world: World
  readonly walker: { readonly x: number; readonly unit: number }
}

/** Returns a copy with a textured ellipse in front. */
function withWalker(
  behind: Float64Array,
  { world, width, height, walker }: WalkerScene,
  plane: Plane,
): Float64Array {
  const values = behind.slice()
  const xs = positions(width, plane)
  for (const [row, y] of positions(height, plane).entries()) {
    const down = (y - height * 0.75) / (60 * walker.unit)
    for (const [column, x] of xs.entries()) {
      if (down * down + ((x - walker.x) / (26 * walker.unit)) ** 2 >= 1) continue
      values[row * xs.length + column] = sampleAt(
        world.planes[plane],
        world.width,
        x - walker.x + 400,
        y + 30,
      )
    }
  }
  return values
}

interface Exposure {
  /** Brightness factor. */
  readonly gain: number
  readonly grain: Grain
  /** Value without light. */
  readonly black: number
}

/** Writes samples as bytes of video range, with the brightness and the noise of a frame. */
function expose(values: Float64Array, bytes: Uint8Array, { gain, grain, black }: Exposure): void {
  const { noise, begin } = grain
  for (let at = 0; at < values.length; at += 1) {
    const value = black + ((values[at] ?? 0) - black) * gain
    const noisy = value + (noise[(begin + at * 7) & (noise.length - 1)] ?? 0)
    bytes[at] = noisy < 16 ? 16 : noisy > 235 ? 235 : Math.round(noisy)
  }
}

/** Sensor noise of a plane: that of sample n is `noise[(begin + 7 n) % noise.length]`. */
interface Grain {
  /** Its length is a power of two. */
  readonly noise: Float32Array
  readonly begin: number
}

/** Gaussian sensor noise that differs per frame and plane. */
function createGrain(deviation: number, seed: number): (turn: number) => Grain {
  const random = seededNumbers(seed + 1)
  const length = 2 ** 16
  const noise = Float32Array.from({ length }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()))
    return deviation * radius * Math.cos(2 * Math.PI * random())
  })
  return (turn) => ({ noise, begin: Math.floor(seededNumbers(seed + 31 * turn)() * length) })
}
