import type { Frame, FrameTreatment } from '../../src/media/clean/frame.ts'
import type { Overlay } from './overlay.ts'
import type { Scene } from './scene.ts'

/** Difference between treated and clean footage, within the treated pixels. */
export interface Fidelity {
  /** Luma PSNR in dB, over all frames and of the worst frame. */
  readonly psnr: number
  readonly worst: number
  /** Root mean square change of the error between consecutive frames, in levels (0 to 255). */
  readonly flicker: number
  /** Number of bytes changed outside the patches. */
  readonly changedOutside: number
  readonly frames: readonly Frame[]
}

/** Draws an overlay on a scene, treats the result, and compares it with the scene. */
export async function measureFidelity(
  scene: Scene,
  overlay: Overlay,
  treat: FrameTreatment,
): Promise<Fidelity> {
  const clean = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  const dirty = clean.map((frame, index) => {
    const copy = { ...frame, bytes: frame.bytes.slice() }
    overlay.draw(copy, index)
    return copy
  })
  async function* input(): AsyncGenerator<Frame> {
    for (const frame of dirty) yield await Promise.resolve({ ...frame, bytes: frame.bytes.slice() })
  }
  const frames: Frame[] = []
  for await (const frame of treat(input(), { first: 0, patchesAt: overlay.patchesAt })) {
    frames.push({ ...frame, bytes: frame.bytes.slice() })
  }
  const total = { squares: 0, count: 0, worst: Infinity, changes: 0, changed: 0, outside: 0 }
  let before: Int16Array | undefined
  for (const [index, frame] of frames.entries()) {
    const treated = treatedPixels(frame, overlay.patchesAt(index))
    const errors = errorsOf(frame, clean[index], treated)
    let [squares, count] = [0, 0]
    for (const at of treated) {
      const error = errors[at] ?? 0
      squares += error * error
      count += 1
      const last = before?.[at] ?? untreated
      if (last === untreated) continue
      total.changes += (error - last) ** 2
      total.changed += 1
    }
    before = errors
    total.squares += squares
    total.count += count
    if (count > 0) total.worst = Math.min(total.worst, decibels(squares / count))
    total.outside += changedOutside(frame, dirty[index], treated)
  }
  return {
    psnr: decibels(total.squares / total.count),
    worst: total.worst,
    flicker: Math.sqrt(total.changes / Math.max(1, total.changed)),
    changedOutside: total.outside,
    frames,
  }
}

function decibels(meanSquare: number): number {
  return 10 * Math.log10(255 ** 2 / Math.max(1e-6, meanSquare))
}

type Patches = ReturnType<Overlay['patchesAt']>

/** Error value of pixels that were not treated. */
const untreated = 2 ** 15 - 1

/** Luma errors of a frame, by pixel index. */
function errorsOf(frame: Frame, clean: Frame | undefined, treated: readonly number[]): Int16Array {
  const errors = new Int16Array(frame.width * frame.height).fill(untreated)
  for (const at of treated) errors[at] = (frame.bytes[at] ?? 0) - (clean?.bytes[at] ?? 0)
  return errors
}

/** Returns the indexes of treated luma pixels. */
function treatedPixels({ width }: Frame, patches: Patches): number[] {
  const treated: number[] = []
  for (const patch of patches) {
    for (let index = patch.mask.indexOf(1); index >= 0; index = patch.mask.indexOf(1, index + 1)) {
      treated.push((patch.y + Math.floor(index / patch.width)) * width + patch.x + (index % patch.width))
    }
  }
  return treated
}

function changedOutside(frame: Frame, dirty: Frame | undefined, treated: readonly number[]): number {
  const { width, height, bytes } = frame
  const inside = new Uint8Array(bytes.length)
  const colour = width * height
  for (const at of treated) {
    inside[at] = 1
    const small = (Math.floor(at / width) >> 1) * (width >> 1) + ((at % width) >> 1)
    inside[colour + small] = 1
    inside[(colour * 5) / 4 + small] = 1
  }
  let changed = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (inside[at] === 0 && bytes[at] !== dirty?.bytes[at]) changed += 1
  }
  return changed
}
