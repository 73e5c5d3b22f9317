import type { Frame } from '../../src/media/clean/frame.ts'
import { sampleAt } from './sample-world.ts'
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
  const frameAt = (index: number): Frame => {
    const bytes = new Uint8Array((width * height * 3) / 2)
    const [a, b, c, d, e, f] = shot.view(index, count)
    const view: View = [a, b, c * unit, d, e, f * unit]
    const gain = shot.gain?.(index, count) ?? 1
    const walker = shot.hasWalker === true ? { x: width * (0.1 + (0.8 * index) / count), unit } : undefined
    for (const plane of [0, 1, 2] as const) {
      drawFrame({ world, view, width, height, bytes, gain, walker, grain: grain(index * 3 + plane) }, plane)
    }
    return { width, height, bytes }
  }
  return { width, height, count, frameAt }
}

interface Drawing {
  readonly world: World
  readonly view: View
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
  readonly gain: number
  readonly walker: { readonly x: number; readonly unit: number } | undefined
  readonly grain: (at: number) => number
}

function drawFrame(
  { world, view, width, height, bytes, gain, walker, grain }: Drawing,
  plane: 0 | 1 | 2,
): void {
  const [a, b, c, d, e, f] = view
  const step = plane === 0 ? 1 : 2
  const from = [0, width * height, (width * height * 5) / 4][plane] ?? 0
  const black = plane === 0 ? 16 : 128
  const source = world.planes[plane]
  let at = from
  // A chroma sample is at the centre of its four pixels.
  const half = (step - 1) / 2
  for (let y = half; y < height; y += step) {
    const down = walker ? (y - height * 0.75) / (60 * walker.unit) : 2
    for (let x = half; x < width; x += step) {
      let u = a * x + b * y + c
      let v = d * x + e * y + f
      if (walker && down * down + ((x - walker.x) / (26 * walker.unit)) ** 2 < 1) {
        u = x - walker.x + 400
        v = y + 30
      }
      const value = black + (sampleAt(source, world.width, u, v) - black) * gain
      bytes[at] = Math.min(235, Math.max(16, Math.round(value + grain(at - from))))
      at += 1
    }
  }
}

/** Gaussian sensor noise that differs per frame and plane. */
function createGrain(deviation: number, seed: number): (turn: number) => (at: number) => number {
  const random = seededNumbers(seed + 1)
  const length = 2 ** 16
  const values = Float32Array.from({ length }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()))
    return deviation * radius * Math.cos(2 * Math.PI * random())
  })
  return (turn) => {
    const begin = Math.floor(seededNumbers(seed + 31 * turn)() * length)
    return (at) => values[(begin + at * 7) % length] ?? 0
  }
}
