import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFaceInput, decodeFaces, type FaceGrid, faceStrides } from './face-tensors.ts'

const [width, height] = [320, 192]

interface PlacedFace {
  readonly stride: number
  readonly cell: number
  readonly cls: number
  readonly obj: number
  /** Deviation of the centre from the cell, size, and points from the cell, in strides. */
  readonly centre: readonly [number, number]
  readonly size: readonly [number, number]
  readonly points: readonly number[]
}

/** Returns YuNet's outputs for faces, and nothing elsewhere. */
function gridsOf(faces: readonly PlacedFace[]): FaceGrid[] {
  return faceStrides.map((stride) => {
    const cells = (width / stride) * (height / stride)
    const grid = {
      ...{ stride, cls: new Float32Array(cells).fill(0.5), obj: new Float32Array(cells) },
      ...{ bbox: new Float32Array(4 * cells), kps: new Float32Array(10 * cells) },
    }
    for (const face of faces.filter((one) => one.stride === stride)) {
      grid.cls[face.cell] = face.cls
      grid.obj[face.cell] = face.obj
      grid.bbox.set([...face.centre, ...face.size.map(Math.log)], 4 * face.cell)
      grid.kps.set(face.points, 10 * face.cell)
    }
    return grid
  })
}

const offset = fc.double({ min: -1, max: 1, noNaN: true })
const size = fc.double({ min: 1, max: 3, noNaN: true })
const likely = fc.double({ min: 0.75, max: 1, noNaN: true })

const someFace: fc.Arbitrary<PlacedFace> = fc.constantFrom(...faceStrides).chain((stride) =>
  fc.record({
    stride: fc.constant(stride),
    cell: fc.nat((width / stride) * (height / stride) - 1),
    cls: likely,
    obj: likely,
    centre: fc.tuple(offset, offset),
    size: fc.tuple(size, size),
    points: fc.array(offset, { minLength: 10, maxLength: 10 }),
  }),
)

describe('faces in the outputs of YuNet', () => {
  it('are decoded from each grid to pixels', () => {
    fc.assert(
      fc.property(someFace, (placed) => {
        const { stride, cell, cls, obj, centre, size: sides, points } = placed
        const [found, ...others] = decodeFaces(gridsOf([placed]), width)
        expect(others).toEqual([])
        expect(found?.score).toBeCloseTo(Math.sqrt(cls * obj), 5)
        const columns = width / stride
        const [column, row] = [cell % columns, Math.floor(cell / columns)]
        const box = found?.box ?? { x: 0, y: 0, width: 0, height: 0 }
        expect(box.width).toBeCloseTo(sides[0] * stride, 3)
        expect(box.height).toBeCloseTo(sides[1] * stride, 3)
        expect(box.x + box.width / 2).toBeCloseTo((column + centre[0]) * stride, 3)
        expect(box.y + box.height / 2).toBeCloseTo((row + centre[1]) * stride, 3)
        const { rightEye, leftEye, nose, rightMouth, leftMouth } = found?.landmarks ?? {}
        for (const [index, point] of [rightEye, leftEye, nose, rightMouth, leftMouth].entries()) {
          expect(point?.x).toBeCloseTo((column + (points[2 * index] ?? 0)) * stride, 3)
          expect(point?.y).toBeCloseTo((row + (points[2 * index + 1] ?? 0)) * stride, 3)
        }
      }),
    )
  })

  it('are best first, at least of the least score, and without much overlap', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(someFace, { selector: ({ stride, cell }) => `${stride} ${cell}`, maxLength: 40 }),
        fc.double({ min: 0.7, max: 1, noNaN: true }),
        (placed, minScore) => {
          const found = decodeFaces(gridsOf(placed), width, { minScore })
          const scores = found.map(({ score }) => score)
          expect(scores).toEqual(scores.toSorted((one, other) => other - one))
          for (const score of scores) expect(score).toBeGreaterThanOrEqual(minScore)
          const best = Math.max(0, ...placed.map(({ cls, obj }) => Math.sqrt(cls * obj)))
          if (best > minScore + 1e-6) expect(scores[0]).toBeCloseTo(best, 5)
          for (const [index, { box }] of found.entries()) {
            for (const { box: other } of found.slice(index + 1)) {
              const across = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x)
              const down = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y)
              const both = Math.max(0, across) * Math.max(0, down)
              expect(both / (box.width * box.height + other.width * other.height - both)).toBeLessThanOrEqual(
                0.3,
              )
            }
          }
        },
      ),
    )
  })

  it('are one where two grids find the same', () => {
    const found = (stride: number, cell: number, cls: number, side: number): PlacedFace => ({
      ...{ stride, cell, cls, obj: 1, centre: [0, 0], size: [side, side] },
      points: Array.from({ length: 10 }, () => 0),
    })
    // Both at 64, 64 with sides of 32 px.
    const both = gridsOf([found(8, 8 * 40 + 8, 0.9, 4), found(16, 4 * 20 + 4, 0.95, 2)])
    expect(decodeFaces(both, width)).toMatchObject([{ score: expect.closeTo(Math.sqrt(0.95), 5) }])
  })
})

it('a frame becomes blue, green and red of 0 to 255, padded with black', () => {
  const frame = { width: 34, height: 2, bytes: new Uint8Array((34 * 2 * 3) / 2).fill(128) }
  // BT.709 of pure red, limited range.
  frame.bytes.fill(63, 0, 68).fill(102, 68, 85).fill(240, 85)
  const { values, ...planes } = createFaceInput(frame)
  expect(planes).toEqual({ width: 64, height: 32 })
  const at = (plane: number, x: number, y: number) => values[plane * 64 * 32 + y * 64 + x]
  expect(at(0, 33, 1)).toBeCloseTo(0, -1)
  expect(at(1, 33, 1)).toBeCloseTo(0, -1)
  expect(at(2, 33, 1)).toBeCloseTo(255, -1)
  expect([at(2, 34, 1), at(2, 33, 2)]).toEqual([0, 0])
})
