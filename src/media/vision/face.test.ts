import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Face, linkFaces } from './face.ts'

function faceAt(x: number, y: number, width: number): Face {
  const nose = { x: x + width / 2, y: y + width / 2 }
  return {
    ...{ box: { x, y, width, height: width * 1.3 }, score: 0.9 },
    landmarks: { rightEye: nose, leftEye: nose, nose, rightMouth: nose, leftMouth: nose },
  }
}

const small = fc.double({ min: -0.2, max: 0.2, noNaN: true })

it('faces of two pictures are linked where they moved little, in any order', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ cell: fc.nat(15), across: small, down: small, growth: small }), {
        selector: ({ cell }) => cell,
        maxLength: 8,
      }),
      fc.boolean(),
      (faces, isReversed) => {
        const before = faces.map(({ cell }) => faceAt(200 * (cell % 4), 200 * Math.floor(cell / 4), 60))
        const moved = faces.map(({ across, down, growth }, index) => {
          const { x = 0, y = 0 } = before[index]?.box ?? {}
          return faceAt(x + 60 * across, y + 60 * down, 60 * (1 + growth))
        })
        const pairs = linkFaces(before, isReversed ? moved.toReversed() : moved)
        expect(
          new Set(pairs.map(([one, other]) => `${before.indexOf(one)} ${moved.indexOf(other)}`)),
        ).toEqual(new Set(before.map((_, index) => `${index} ${index}`)))
      },
    ),
  )
})

it('faces of another size or position are not linked, nor one face twice', () => {
  const face = faceAt(100, 100, 60)
  expect(linkFaces([face], [faceAt(100, 100, 120)])).toEqual([])
  expect(linkFaces([face], [faceAt(160, 100, 60)])).toEqual([])
  const near = faceAt(104, 100, 60)
  expect(linkFaces([face, near], [faceAt(105, 100, 60)])).toEqual([[near, faceAt(105, 100, 60)]])
})
