import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TextBox } from './box.ts'
import type { Luma } from './luma.ts'
import { createTextTracker, expectedOffset, isMoving, type TextTrack } from './detections.ts'

const [width, height] = [200, 120]
const [across, down] = [48, 12]

/** Whether a position of a line has a stroke; each seed yields other letters. */
function isInk(seed: number, x: number, y: number): boolean {
  // The strokes of other letters begin elsewhere.
  const [column, row] = [Math.floor((x + (seed % 3)) / 3), Math.floor((y + (seed % 2)) / 3)]
  let mixed =
    Math.imul(column + 1, 0x85ebca6b) ^ Math.imul(row + 1, 0xc2b2ae35) ^ Math.imul(seed + 1, 0x27d4eb2f)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) % 5 < 2
}

interface Line {
  readonly seed: number
  readonly x: number
  readonly y: number
}

/** A picture of lines on a moving, soft background. */
function draw(lines: readonly Line[], frame: number): Luma {
  const columns = Array.from({ length: width }, (_, x) => 90 + 40 * Math.sin((x + 2 * frame) / 17))
  const rows = Array.from({ length: height }, (_, y) => 20 * Math.cos(y / 13))
  const values = new Uint8Array(rows.flatMap((row) => columns.map((column) => column + row)))
  for (const { seed, x, y } of lines) {
    for (let at = 0; at < across * down; at += 1) {
      const [column, row] = [at % across, Math.floor(at / across)]
      if (isInk(seed, column, row) && y + row < height) values[(y + row) * width + x + column] = 220
    }
  }
  return { width, height, values }
}

function boxAround({ x, y }: Line, jitter = 0): TextBox {
  return {
    left: x - 1 + jitter,
    top: y - 1,
    right: x + across + 1,
    bottom: y + down + 1 + jitter,
    score: 0.9,
  }
}

/** Returns all tracks of samples, each described by its visible and its detected lines. */
function tracksOf(
  samples: readonly { readonly shown: readonly Line[]; readonly found: readonly TextBox[] }[],
): TextTrack[] {
  const tracker = createTextTracker()
  const ended = samples.flatMap(({ shown, found }, index) =>
    tracker.addSample({ frame: 10 * index, luma: draw(shown, 10 * index), boxes: found }),
  )
  return [...ended, ...tracker.live]
}

const path = fc.record({
  seed: fc.nat(1000),
  x: fc.integer({ min: 4, max: 40 }),
  y: fc.integer({ min: 4, max: 40 }),
  stepX: fc.integer({ min: 0, max: 12 }),
  stepY: fc.integer({ min: 0, max: 7 }),
  jitters: fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 8, maxLength: 8 }),
})

describe('a tracker', () => {
  it('tracks still and moving text to the pixel', () => {
    fc.assert(
      fc.property(path, ({ seed, x, y, stepX, stepY, jitters }) => {
        const lines = jitters.map((_, index) => ({ seed, x: x + stepX * index, y: y + stepY * index }))
        const tracks = tracksOf(
          lines.map((line, index) => ({ shown: [line], found: [boxAround(line, jitters[index])] })),
        )
        expect(tracks).toHaveLength(1)
        const [track] = tracks
        if (!track) return
        expect(track.detections).toHaveLength(lines.length)
        expect(isMoving(track)).toBe(stepX + stepY > 0)
        for (const index of lines.keys()) {
          const { x: right, y: under } = expectedOffset(track, 10 * index)
          expect(Math.abs(right - stepX * index)).toBeLessThanOrEqual(1)
          expect(Math.abs(under - stepY * index)).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: 10 },
    )
  })

  it('distinguishes another text at the same position, and continues a missed one', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 4 }), (seed, missed) => {
        const [one, other] = [
          { seed, x: 30, y: 40 },
          { seed: seed + 1, x: 30, y: 40 },
        ]
        const samples = [one, one, one, one, one, one, other, other, other].map((line, index) => ({
          shown: [line],
          found: index === missed ? [] : [boxAround(line)],
        }))
        const tracks = tracksOf(samples)
        expect(tracks.map(({ detections: sightings }) => sightings.map(({ frame }) => frame))).toEqual([
          [0, 10, 20, 30, 40, 50],
          [60, 70, 80],
        ])
      }),
      { numRuns: 10 },
    )
  })

  it('distinguishes lines that move together and replace each other', () => {
    const rows = [0, 1, 2].map((row) => ({ seed: 7 * row + 3, x: 60, y: 80 + 20 * row }))
    const samples = Array.from({ length: 4 }, (_, index) => {
      const shown = rows.map((row) => ({ ...row, y: row.y - 20 * index }))
      const seen = shown.filter(({ y }) => y >= 0 && y + down <= height)
      return { shown, found: seen.map((line) => boxAround(line)) }
    })
    const whole = tracksOf(samples).filter(({ detections: sightings }) => sightings.length > 1)
    expect(whole).toHaveLength(3)
    for (const track of whole)
      expect(expectedOffset(track, 30).y - expectedOffset(track, 20).y).toBeCloseTo(-20, 0)
  })

  it('ends tracks of text that is gone', () => {
    const line = { seed: 5, x: 30, y: 40 }
    const tracker = createTextTracker()
    const ended = Array.from({ length: 6 }, (_, index) =>
      tracker.addSample({
        frame: 10 * index,
        luma: draw(index < 2 ? [line] : [], 10 * index),
        boxes: index < 2 ? [boxAround(line)] : [],
      }),
    )
    expect(ended.map(({ length }) => length)).toEqual([0, 0, 0, 0, 1, 0])
    expect(tracker.live).toEqual([])
  })
})
