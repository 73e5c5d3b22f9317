import { describe, expect, test } from 'vitest'
import { nominalRate } from './frame-rate.ts'

const rate = (num: number, den = 1) => ({ num, den })

describe('the constant rate of a video', () => {
  test.each([
    ['its own', { frame_rate: rate(17) }, rate(17)],
    ['the standard one it is nearly', { frame_rate: rate(2995, 100) }, rate(30_000, 1001)],
    ['that of displays', { frame_rate: rate(8995, 100) }, rate(90)],
    ['no declared rate', { frame_rate: rate(0) }, rate(30)],
    ['of bursts', { frame_rate: rate(15), base_rate: rate(30), variable_rate: true }, rate(30)],
    ['of faster passages', { frame_rate: rate(25), base_rate: rate(60), variable_rate: true }, rate(60)],
    [
      'of a film whose fields are counted',
      { frame_rate: rate(30_000, 1001), base_rate: rate(60_000, 1001), variable_rate: true },
      rate(30_000, 1001),
    ],
    [
      'of a phone whose clock is finer',
      { frame_rate: rate(2997, 100), base_rate: rate(120), variable_rate: true },
      rate(30_000, 1001),
    ],
    [
      'of a film with pulldown',
      { frame_rate: rate(24_000, 1001), base_rate: rate(60_000, 1001), variable_rate: true },
      rate(24_000, 1001),
    ],
    [
      'of a clock without information',
      { frame_rate: rate(15), base_rate: rate(1000), variable_rate: true },
      rate(24_000, 1001),
    ],
    ['the next one', { frame_rate: rate(70), variable_rate: true }, rate(90)],
    ['above all of these', { frame_rate: rate(130), variable_rate: true }, rate(130)],
  ])('%s', (_, video, expected) => {
    expect(nominalRate({ variable_rate: false, ...video })).toEqual(expected)
  })
})
