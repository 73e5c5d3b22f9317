import { describe, expect, it } from 'vitest'
import { strokeSearchBox } from './stroke-mask.ts'
import { cropLuma } from './luma.ts'
import { edgePoints } from './edge-matching.ts'
import { createCandidate } from './found-text.ts'
import { boxAround } from '../../../test/footage/tilted-line.ts'
import type { TextDetection, TextTrack } from './detections.ts'

const picture = { width: 640, height: 360 }
const luma = { ...picture, values: new Uint8Array(640 * 360).fill(90) }

const degrees = (angle: number) => (angle * Math.PI) / 180
const line = { x: 300, y: 180, length: 200, letters: 30 }
const tilted = (angle: number) => ({ ...boxAround({ ...line, angle: degrees(angle) }), score: 0.9 })
const { tilt: _, ...untilted } = tilted(30)

/** A track with these boxes in successive samples. */
function seenAs(boxes: readonly [TextDetection['box'] & object, ...(TextDetection['box'] & object)[]]) {
  const [origin] = boxes
  const part = cropLuma(luma, strokeSearchBox(origin))
  const track: TextTrack = {
    ...{ origin, strokes: edgePoints(part), first: [part], last: [part], missed: 0, unconfirmed: 0 },
    detections: boxes.map((box, index) => ({ frame: 10 * index, offset: { x: 0, y: 0 }, box })),
  }
  const end = (frame: number) => ({ frame, pictures: [part] as const })
  return createCandidate(track, { beginning: end(0), ending: end(10 * boxes.length), picture }).text
}

describe('the tilt of a text', () => {
  it('is that of most detections, not of the first one', () => {
    const { tilt, boxAt } = seenAs([untilted, tilted(29), tilted(30), tilted(31)])
    expect(tilt?.angle).toBeCloseTo(degrees(30), 9)
    expect(tilt?.letterSize).toBe(30)
    expect(boxAt(0).left).toBeCloseTo(tilted(30).left, 9)
    expect(seenAs([tilted(30), untilted, untilted]).tilt).toBeUndefined()
    expect(seenAs([tilted(60), tilted(30), tilted(30)]).tilt?.angle).toBeCloseTo(degrees(30), 9)
  })
})
