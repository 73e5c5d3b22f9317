import type { Frame, Treat } from '../../src/media/clean/patch.ts'
import type { Overlay } from './overlay.ts'
import type { Scene } from './scene.ts'

/** How near treated footage comes to the clean one, where it was treated. */
export interface Fidelity {
  /** Of brightness, over all frames and of the worst one, dB. */
  readonly psnr: number
  readonly worst: number
  /** How much what is wrong changes from frame to frame, in levels. */
  readonly flicker: number
  /** Bytes changed where no patch is. */
  readonly changedOutside: number
  readonly frames: readonly Frame[]
}

/** Lays an overlay over a scene, has it treated, and compares with the scene. */
export async function fidelityOf(scene: Scene, overlay: Overlay, treat: Treat): Promise<Fidelity> {
  const clean = Array.from({ length: scene.count }, (_, index) => scene.frameAt(index))
  const dirty = clean.map((frame, index) => {
    const copy = { ...frame, bytes: frame.bytes.slice() }
    overlay.draw(copy, index)
    return copy
  })
  async function* given(): AsyncGenerator<Frame> {
    for (const frame of dirty) yield await Promise.resolve({ ...frame, bytes: frame.bytes.slice() })
  }
  const frames: Frame[] = []
  for await (const frame of treat(given(), { first: 0, patchesAt: overlay.patchesAt })) {
    frames.push({ ...frame, bytes: frame.bytes.slice() })
  }
  const total = { squares: 0, count: 0, worst: Infinity, changes: 0, changed: 0, outside: 0 }
  let before = new Map<number, number>()
  for (const [index, frame] of frames.entries()) {
    const errors = errorsOf(frame, clean[index], overlay.patchesAt(index))
    let squares = 0
    for (const [at, error] of errors) {
      squares += error * error
      const last = before.get(at)
      if (last === undefined) continue
      total.changes += (error - last) ** 2
      total.changed += 1
    }
    before = errors
    total.squares += squares
    total.count += errors.size
    if (errors.size > 0) total.worst = Math.min(total.worst, decibels(squares / errors.size))
    total.outside += changedOutside(frame, dirty[index], overlay.patchesAt(index))
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

/** By place of brightness. */
function errorsOf({ width, bytes }: Frame, clean: Frame | undefined, patches: Patches): Map<number, number> {
  const errors = new Map<number, number>()
  for (const patch of patches) {
    for (const [index, is] of patch.mask.entries()) {
      if (is !== 1) continue
      const at = (patch.y + Math.floor(index / patch.width)) * width + patch.x + (index % patch.width)
      errors.set(at, (bytes[at] ?? 0) - (clean?.bytes[at] ?? 0))
    }
  }
  return errors
}

function changedOutside({ width, height, bytes }: Frame, dirty: Frame | undefined, patches: Patches): number {
  const inside = new Uint8Array(bytes.length)
  const colour = width * height
  for (const patch of patches) {
    for (const [index, is] of patch.mask.entries()) {
      if (is !== 1) continue
      const [x, y] = [patch.x + (index % patch.width), patch.y + Math.floor(index / patch.width)]
      inside[y * width + x] = 1
      const small = (y >> 1) * (width >> 1) + (x >> 1)
      inside[colour + small] = 1
      inside[(colour * 5) / 4 + small] = 1
    }
  }
  return bytes.reduce((sum, byte, at) => sum + (inside[at] === 0 && byte !== dirty?.bytes[at] ? 1 : 0), 0)
}
