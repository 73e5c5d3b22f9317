import { soakSize } from '../../../test/soak-size.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Point } from '../geometry.ts'
import type { Luma } from '../text/luma.ts'
import { type FaceLandmarks, mapLandmarks } from '../vision/face.ts'
import { type FacePatch, facePatch } from './face-patch.ts'
import { mouthMotion } from './mouth-motion.ts'

/** Position of a head in a picture: middle of the eyes, distance from there to the mouth, and tilt in radians. */
interface Head {
  readonly x: number
  readonly y: number
  readonly unit: number
  readonly tilt: number
}

interface DrawnFace {
  readonly head: Head
  /** Opening of the lips, in units; 0 is closed. */
  readonly opening?: number
  readonly brightness?: number
  /** Amplitude of noise, levels, and its seed. */
  readonly noise?: number
  readonly seed?: number
}

const size = { width: 240, height: 240 }

/** Landmarks in coordinates of the face: x to the left eye, y from the eyes to the mouth. */
const landmarks: FaceLandmarks = {
  rightEye: { x: -0.5, y: 0 },
  leftEye: { x: 0.5, y: 0 },
  nose: { x: 0, y: 0.5 },
  rightMouth: { x: -0.35, y: 1 },
  leftMouth: { x: 0.35, y: 1 },
}

function toPicture({ x, y, unit, tilt }: Head): (point: Point) => Point {
  const [cos, sin] = [Math.cos(tilt) * unit, Math.sin(tilt) * unit]
  return (point) => ({ x: x + cos * point.x - sin * point.y, y: y + sin * point.x + cos * point.y })
}

/** Luma of a face at its own coordinates: shaded cheeks, a nose, nostrils, lips and an open mouth. */
function skin({ x, y }: Point, opening: number): number {
  const blob = (atX: number, atY: number, wide: number, high: number) =>
    Math.exp(-(((x - atX) / wide) ** 2) - ((y - atY) / high) ** 2)
  const lips = 40 * blob(0, 1 - opening / 2, 0.35, 0.05) + 40 * blob(0, 1 + opening / 2, 0.35, 0.05)
  const hole = opening > 0 ? 90 * blob(0, 1, 0.25, opening / 2) : 0
  const nostrils = 50 * blob(-0.12, 0.62, 0.05, 0.04) + 50 * blob(0.12, 0.62, 0.05, 0.04)
  const nose = 30 * blob(0.05, 0.4, 0.1, 0.25)
  return 150 - 25 * x + nose - nostrils - lips - hole - 30 * blob(0, 1.6, 0.6, 0.15)
}

function drawFace({ head, opening = 0, brightness = 0, noise = 0, seed = 1 }: DrawnFace): Luma {
  const { x: left, y: top, unit, tilt } = head
  const [cos, sin] = [Math.cos(tilt) / unit, Math.sin(tilt) / unit]
  let state = seed
  const values = new Uint8Array(size.width * size.height).map((_, at) => {
    const [x, y] = [(at % size.width) + 0.5 - left, Math.floor(at / size.width) + 0.5 - top]
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    const light = skin({ x: cos * x + sin * y, y: cos * y - sin * x }, opening)
    return Math.min(235, Math.max(16, Math.round(light + brightness + noise * (state / 2 ** 30 - 1))))
  })
  return { ...size, values }
}

function patchOf(face: DrawnFace, error: Point = { x: 0, y: 0 }): FacePatch {
  const place = toPicture(face.head)
  const found = mapLandmarks(landmarks, (point) => {
    const { x, y } = place(point)
    return { x: x + error.x, y: y + error.y }
  })
  return facePatch(drawFace(face), found) ?? new Float32Array(0)
}

const someHead = fc.record({
  x: fc.double({ min: 100, max: 140, noNaN: true }),
  y: fc.double({ min: 70, max: 90, noNaN: true }),
  unit: fc.double({ min: 25, max: 60, noNaN: true }),
  tilt: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
})
const few = { numRuns: soakSize(10, 20), endOnFailure: true }

describe('a patch of a face', () => {
  it('is the same wherever the head is, whatever its size and tilt', () => {
    fc.assert(
      fc.property(someHead, someHead, (one, other) => {
        const [before, after] = [patchOf({ head: one }), patchOf({ head: other })]
        const change = before.reduce((sum, value, at) => sum + Math.abs(value - (after[at] ?? 0)), 0)
        expect(change / before.length).toBeLessThan(3)
      }),
      few,
    )
  })

  it('is absent if the face is too small', () => {
    const head = { x: 100, y: 100, unit: 9, tilt: 0 }
    expect(facePatch(drawFace({ head }), mapLandmarks(landmarks, toPicture(head)))).toBeUndefined()
  })
})

describe('motion of the mouth', () => {
  it('is less than in speech where only the head moves, the light changes, and landmarks are inexact', () => {
    const error = fc.record({
      x: fc.double({ min: -1.5, max: 1.5, noNaN: true }),
      y: fc.double({ min: -1.5, max: 1.5, noNaN: true }),
    })
    fc.assert(
      fc.property(
        someHead,
        error,
        fc.double({ min: -12, max: 12, noNaN: true }),
        fc.nat(100),
        (head, wrong, brightness, seed) => {
          const moved = { ...head, x: head.x + 3, y: head.y + 2, tilt: head.tilt + 0.02 }
          const before = patchOf({ head, noise: 4, seed })
          const after = patchOf({ head: moved, brightness, noise: 4, seed: seed + 7 }, wrong)
          expect(mouthMotion(before, after)).toBeLessThan(0.06)
        },
      ),
      few,
    )
  })

  it('is large where lips open or close, for large and small faces alike', () => {
    const usual = patchOf({ head: { x: 120, y: 80, unit: 45, tilt: 0 } })
    const usualOpen = patchOf({ head: { x: 120, y: 80, unit: 45, tilt: 0 }, opening: 0.25 })
    fc.assert(
      fc.property(someHead, fc.boolean(), (head, opens) => {
        const [closed, open] = [patchOf({ head }), patchOf({ head, opening: 0.25 })]
        const motion = opens ? mouthMotion(closed, open) : mouthMotion(open, closed)
        expect(motion).toBeGreaterThan(0.15)
        expect((motion ?? NaN) / (mouthMotion(usual, usualOpen) ?? NaN)).toBeCloseTo(1, 0.5)
      }),
      few,
    )
  })

  it('is unknown where the picture changes', () => {
    const head = { x: 120, y: 80, unit: 45, tilt: 0 }
    const after = patchOf({ head }).map((_, at) => (at * 7919) % 220)
    expect(mouthMotion(patchOf({ head }), after)).toBeUndefined()
  })
})
