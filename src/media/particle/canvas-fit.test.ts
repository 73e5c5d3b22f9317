import { expect, it } from 'vitest'
import { describeCroppedCanvas } from './canvas-fit.ts'

const size = (width: number, height: number) => ({ width, height })

it.each([
  [size(1920, 1080), size(1080, 1920), 'crops 68 % of its width'],
  [size(1080, 1920), size(1920, 1080), 'crops 68 % of its height'],
  [size(640, 480), size(1280, 720), 'crops 25 % of its height'],
  [size(1000, 1000), size(1000, 998), 'crops 1 % of its height'],
])('%o in %o', (canvas, frame, expected) => {
  expect(describeCroppedCanvas(canvas, frame)).toContain(expected)
})

it.each([
  [size(1920, 1080), size(640, 360)],
  [size(640, 360), size(3840, 2160)],
  // 853.3 x 480, rounded to whole pixels.
  [size(853, 480), size(1280, 720)],
])('%o in %o is complete', (canvas, frame) => {
  expect(describeCroppedCanvas(canvas, frame)).toBeUndefined()
})
