import { describe, expect, it } from 'vitest'
import { logo } from '../../../../test/footage/overlay.ts'
import { makeScene } from '../../../../test/footage/scene.ts'
import type { Frame, FrameTreatment } from '../frame.ts'
import { makeInpainter } from './inpainter.ts'

const film = { width: 192, height: 108, fps: 25 }
/** Where one part ends and the next begins, and frames that the parts are given beyond that. */
const [bound, around] = [70, 40]
const scene = makeScene('static', { ...film, count: bound + around })
const overlay = logo(scene, { box: { x: 0.6, y: 0.1, w: 0.3, h: 0.22 } })
const dirty = Array.from({ length: scene.count }, (_, index) => {
  const frame = scene.frameAt(index)
  overlay.draw(frame, index)
  return frame
})

/** Frames from `first` to `end` as a part has them. */
async function part(
  [first, end]: readonly [number, number],
  handOver?: Parameters<FrameTreatment>[1]['handOver'],
): Promise<Map<number, Frame>> {
  async function* given(): AsyncGenerator<Frame> {
    for (const frame of dirty.slice(first, end)) {
      yield await Promise.resolve({ ...frame, bytes: frame.bytes.slice() })
    }
  }
  const frames = new Map<number, Frame>()
  const { patchesAt } = overlay
  let index = first
  for await (const frame of makeInpainter(film)(given(), { first, patchesAt, handOver })) {
    frames.set(index, { ...frame, bytes: frame.bytes.slice() })
    index += 1
  }
  return frames
}

/** Mean difference of brightness between two frames where they are filled, in levels. */
function apart(one: Frame | undefined, other: Frame | undefined): number {
  const [patch] = overlay.patchesAt(0)
  if (!one || !other || !patch) throw new RangeError('two filled frames')
  let sum = 0
  for (let at = 0; at < patch.mask.length; at += 1) {
    const place = (patch.y + Math.floor(at / patch.width)) * one.width + patch.x + (at % patch.width)
    sum += Math.abs((one.bytes[place] ?? 0) - (other.bytes[place] ?? 0))
  }
  return sum / patch.mask.length
}

describe('what is made up by two parts', () => {
  it('passes from one into the other, where each alone would jump at their bound', async () => {
    const handOver = { from: bound - around, to: bound }
    const [alone, handed, next] = [
      await part([0, bound + around]),
      await part([0, bound + around], handOver),
      await part([bound - around, bound + around]),
    ]
    const first = next.get(bound)
    const inside = Array.from({ length: around - 1 }, (_, step) => {
      const index = bound - around + step
      return apart(handed.get(index), handed.get(index + 1))
    })
    expect(apart(alone.get(bound - 1), first)).toBeGreaterThan(1)
    expect(apart(handed.get(bound - 1), first)).toBeLessThan(0.4)
    expect(inside.reduce((sum, one) => sum + one, 0) / inside.length).toBeLessThan(0.4)
    // Both see the same, so that they make the same of it.
    expect(apart(handed.get(bound - 1), next.get(bound - 1))).toBe(0)
    expect(apart(handed.get(bound), alone.get(bound))).toBe(0)
  })
})
