import { expect, it } from 'vitest'
import { drawMarks } from './draw-marks.ts'
import { keptTint, newPicture, removedTint } from './raster.ts'
import type { Rect } from '../../media/geometry.ts'

const frame: Rect = { x: 20, y: 10, width: 60, height: 40 }

/** Returns the colour of each pixel of a one-frame picture with a border. */
function drawn(mark: { name?: string; isKept?: boolean; x?: number; w?: number }) {
  const picture = newPicture(100, 60, [0, 0, 255])
  drawMarks(picture, frame, [{ x: 0, y: 0, w: 1, h: 1, name: 'a', isKept: false, ...mark }])
  return (x: number, y: number) => [...picture.pixels.subarray(3 * (100 * y + x), 3 * (100 * y + x) + 3)]
}

it('a mark that reaches the edges of the frame is drawn inside them', () => {
  const whole = drawn({})
  const places = [
    [20, 30],
    [79, 30],
    [50, 10],
    [50, 49],
    [21, 48],
  ] as const
  expect(places.map(([x, y]) => whole(x, y))).toEqual(places.map(() => [...removedTint]))
  const kept = drawn({ isKept: true })
  const row = Array.from({ length: frame.width }, (_, x) =>
    kept(frame.x + x, frame.y + frame.height - 1).join(),
  )
  expect([row.includes(keptTint.join()), new Set(row).size > 1]).toEqual([true, true])
  // Only the other side has space for the label.
  expect(drawn({ x: 0.5, w: 0.5 })(79, 30)).toEqual([...removedTint])
})

it('nothing is drawn outside the frame, whatever the name', () => {
  for (const name of ['a', 'longer than its frame is wide']) {
    const at = drawn({ name, x: 0.3, w: 0.3 })
    const beside = Array.from(
      { length: 6000 },
      (_, place) => [place % 100, Math.floor(place / 100)] as const,
    ).filter(([x, y]) => x < 20 || x >= 80 || y < 10 || y >= 50)
    expect(beside.every(([x, y]) => at(x, y).join() === '0,0,255')).toBe(true)
  }
})
