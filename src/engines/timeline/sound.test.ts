import { expect, test } from 'vitest'
import { retimeFilters } from './sound.ts'

test.each([0.01, 0.3, 0.5, 1.3, 2, 2.1, 4.9, 5])(
  'without rubberband, speed %d is divided into atempo steps that skip no samples',
  (speed) => {
    const steps = retimeFilters(speed, { keepPitch: true, rubberband: false })
      .filter((filter) => filter.startsWith('atempo='))
      .map((filter) => Number(filter.slice('atempo='.length)))
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.5)
    expect(Math.max(...steps)).toBeLessThanOrEqual(2)
    expect(steps.reduce((product, step) => product * step, 1)).toBeCloseTo(speed, 7)
  },
)
