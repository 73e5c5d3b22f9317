import type { Frame } from '../../src/media/clean/frame.ts'
import type { ShotChange } from '../../src/media/reframe/shot-detector.ts'
import { createWorld, seededNumbers, type World } from '../footage/world.ts'

/** One shot of generated footage. */
export interface Shot {
  readonly frames: number
  /** Which generated scene it shows. */
  readonly seed: number
  /** Position of the camera at a frame of the shot, pixels, and its zoom. Default: it stands still. */
  readonly camera?: (frame: number) => { readonly x: number; readonly y: number; readonly zoom?: number }
  /** Factor of the brightness at a frame of the shot. Default: 1. */
  readonly light?: (frame: number) => number
  /** Frames over which the shot before is mixed with this one, around its start. Default: a hard cut. */
  readonly dissolve?: number
}

/** Size of generated frames, pixels. */
export const footageSize = { width: 256, height: 144 }

/** Noise of the sensor with a standard deviation of 1.5 levels. Each frame starts at another place in it. */
const noise = Float32Array.from({ length: 2 ** 16 }, seededNoise(1.5))

function seededNoise(deviation: number): () => number {
  const random = seededNumbers(5)
  return () => deviation * Math.sqrt(3) * (2 * random() - 1)
}

const worlds = new Map<number, World>()

function cachedWorld(seed: number): World {
  const world = worlds.get(seed) ?? createWorld(1024, 512, seed)
  worlds.set(seed, world)
  return world
}

/** Yields the frames of shots that follow each other. The buffer is reused for the next frame. */
export function* editedFootage(shots: readonly Shot[]): Generator<Frame> {
  const { width, height } = footageSize
  const frame = { width, height, bytes: new Uint8Array((width * height * 3) / 2) }
  // Rounds and clamps what is written.
  const levels = new Uint8ClampedArray(frame.bytes.buffer)
  const sums = new Float32Array(frame.bytes.length)
  const random = seededNumbers(5)
  const starts = shots.map((_, index) => shots.slice(0, index).reduce((sum, { frames }) => sum + frames, 0))
  const count = shots.reduce((sum, { frames }) => sum + frames, 0)
  for (let at = 0; at < count; at += 1) {
    sums.fill(0)
    for (const [index, shot] of shots.entries()) {
      const share = shareOf(at, { shots, starts, index })
      if (share > 0) addShot(sums, { shot, at: at - (starts[index] ?? 0), share })
    }
    const shift = Math.floor(random() * noise.length)
    for (let sample = 0; sample < width * height; sample += 1)
      sums[sample] = (sums[sample] ?? 0) + (noise[(shift + sample) % noise.length] ?? 0)
    levels.set(sums)
    yield frame
  }
}

/** Returns the changes of shot that footage has. */
export function trueChanges(shots: readonly Shot[]): ShotChange[] {
  let frame = 0
  return shots.slice(1).map(({ dissolve = 0 }, index) => {
    frame += shots[index]?.frames ?? 0
    return { frame, mixed: dissolve }
  })
}

/** Returns the share of a shot in a frame: it rises around its start and falls around its end. */
function shareOf(
  at: number,
  {
    shots,
    starts,
    index,
  }: { readonly shots: readonly Shot[]; readonly starts: readonly number[]; readonly index: number },
): number {
  const reached = (one: number) => {
    const [start, length] = [starts[one], shots[one]?.dissolve ?? 0]
    if (start === undefined) return 0
    if (one === 0) return 1
    return length === 0 ? Number(at >= start) : Math.min(1, Math.max(0, (at - start + length / 2) / length))
  }
  return reached(index) - reached(index + 1)
}

/** Adds a share of a shot's picture to a frame of 4:2:0 samples. */
function addShot(
  sums: Float32Array,
  { shot, at, share }: { readonly shot: Shot; readonly at: number; readonly share: number },
): void {
  const world = cachedWorld(shot.seed)
  const { x, y, zoom = 1 } = shot.camera?.(at) ?? { x: 300, y: 160 }
  const light = shot.light?.(at) ?? 1
  const { width, height } = footageSize
  // Where the samples of a row and of a column are in the world: computed once, because frames have 55,000 samples.
  const place = (from: number, side: number) =>
    Int32Array.from({ length: side }, (_, index) => Math.round(from + (index - side / 2) * zoom + side / 2))
  const [rows, columns] = [place(y, height), place(x, width)]
  let sample = 0
  for (const [index, plane] of world.planes.entries()) {
    const [scale, neutral] = index === 0 ? [1, 16] : [2, 128]
    for (let row = 0; row < height; row += scale) {
      const line = (rows[row] ?? 0) * world.width
      for (let column = 0; column < width; column += scale, sample += 1) {
        const value = plane[line + (columns[column] ?? 0)] ?? 128
        const lit = neutral + (value - neutral) * light
        const clamped = lit < 0 ? 0 : lit > 255 ? 255 : lit
        sums[sample] = (sums[sample] ?? 0) + share * clamped
      }
    }
  }
}
