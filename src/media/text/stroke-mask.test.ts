import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { strokeBox, strokeSearchBox, medianGradient } from './stroke-mask.ts'
import { cropLuma } from './luma.ts'
import type { Bounds } from '../geometry.ts'

const [width, height] = [200, 80]

/** Letters of 7 px with gaps of 3 px, on a background with a dark edge. */
function page(ink: Bounds, edgeAt: number) {
  return {
    width,
    height,
    values: new Uint8Array(width * height).map((_, at) => {
      const [x, y] = [at % width, Math.floor(at / width)]
      const written = x >= ink.left && x < ink.right && y >= ink.top && y < ink.bottom
      if (written && (x - ink.left) % 10 < 7) return 230
      return x < edgeAt ? 60 : 95
    }),
  }
}

describe('the stroke box of a line', () => {
  it('is exact to the pixel, although the detected box is off', () => {
    const off = fc.integer({ min: -3, max: 3 })
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 60 }),
        fc.integer({ min: 3, max: 9 }),
        fc.tuple(off, off, off, off),
        fc.integer({ min: 0, max: 199 }),
        (left, letters, [a, b, c, d], edgeAt) => {
          const ink = { left, top: 30, right: left + 10 * letters - 3, bottom: 46 }
          const detected = { left: left + a, top: 30 + b, right: ink.right + c, bottom: 46 + d }
          const found = strokeBox(
            medianGradient([cropLuma(page(ink, edgeAt), strokeSearchBox(detected))]),
            detected,
          )
          for (const edge of ['left', 'top', 'right', 'bottom'] as const)
            expect(Math.abs(found[edge] - ink[edge])).toBeLessThanOrEqual(1)
        },
      ),
    )
  })

  it('is the detected box if there are no strokes', () => {
    const detected = { left: 50.5, top: 20.5, right: 120, bottom: 40 }
    const blank = page({ left: 0, top: 0, right: 0, bottom: 0 }, 0)
    expect(strokeBox(medianGradient([cropLuma(blank, strokeSearchBox(detected))]), detected)).toEqual(
      detected,
    )
  })

  it('is the detected box of a tilted line', () => {
    const ink = { left: 20, top: 10, right: 87, bottom: 26 }
    const detected = { left: 10, top: 4, right: 190, bottom: 74, tilt: { angle: 0.3, letterSize: 20 } }
    const slopes = medianGradient([cropLuma(page(ink, 120), strokeSearchBox(detected))])
    expect(strokeBox(slopes, detected)).toEqual(detected)
    // The beginning is cut by the edge, so the line is extended by a letter.
    const [x, y] = [20 * Math.cos(0.3), 20 * Math.sin(0.3)]
    const longer = { ...detected, left: 10 - x, top: 4 - y }
    expect(strokeBox(slopes, detected, { width: 400, height: 400 })).toEqual(longer)
  })

  it('excludes a moving background', () => {
    const ink = { left: 40, top: 30, right: 107, bottom: 46 }
    const detected = { left: 38, top: 28, right: 109, bottom: 49 }
    const [first, ...others] = [20, 45, 70, 95, 120].map((edgeAt) =>
      cropLuma(page(ink, edgeAt), strokeSearchBox(detected)),
    )
    if (!first) throw new TypeError('five pictures')
    expect(strokeBox(medianGradient([first, ...others]), detected)).toEqual(ink)
  })

  it('of a line cut by the picture extends to the edge, including the cut letter', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9, max: 0 }), fc.integer({ min: 0, max: 9 }), (from, short) => {
        const lettering = page({ left: from, top: 30, right: width + 20, bottom: 46 }, 90)
        // The detector misses most of the cut letters.
        const detected = { left: from + 10, top: 29, right: width - short, bottom: 47 }
        const slopes = medianGradient([cropLuma(lettering, strokeSearchBox(detected))])
        const found = strokeBox(slopes, detected, { width, height })
        const seen = Array.from({ length: width }, (_, x) => x).filter((x) => (x - from) % 10 < 7)
        const [first = 0, last = 0] = [seen[0], seen.at(-1)]
        expect([Math.abs(found.left - first), Math.abs(found.right - (last + 1))]).toSatisfy(
          ([left = 9, right = 9]: number[]) => left <= 1 && right <= 1,
        )
      }),
      { numRuns: 30 },
    )
  })
})
