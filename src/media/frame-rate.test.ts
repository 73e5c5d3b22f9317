import { describe, expect, test } from 'vitest'
import { nominalRate } from './frame-rate.ts'

const rate = (num: number, den = 1) => ({ num, den })

describe('the nominal rate of a video with', () => {
  test.each([
    ['a steady rate', { frame_rate: rate(17) }, rate(17)],
    ['an average close to a standard rate', { frame_rate: rate(2995, 100) }, rate(30_000, 1001)],
    ['an average close to a display rate', { frame_rate: rate(8995, 100) }, rate(90)],
    ['no declared rate', { frame_rate: rate(0) }, rate(30)],
    [
      'a variable rate with bursts',
      { frame_rate: rate(15), base_rate: rate(30), variable_rate: true },
      rate(30),
    ],
    [
      'a variable rate with faster passages',
      { frame_rate: rate(25), base_rate: rate(60), variable_rate: true },
      rate(60),
    ],
    [
      'a base rate of fields',
      { frame_rate: rate(30_000, 1001), base_rate: rate(60_000, 1001), variable_rate: true },
      rate(30_000, 1001),
    ],
    [
      'a base rate of the clock of a phone',
      { frame_rate: rate(2997, 100), base_rate: rate(120), variable_rate: true },
      rate(30_000, 1001),
    ],
    [
      'a base rate of pulldown',
      { frame_rate: rate(24_000, 1001), base_rate: rate(60_000, 1001), variable_rate: true },
      rate(24_000, 1001),
    ],
    [
      'a base rate above all standard rates',
      { frame_rate: rate(15), base_rate: rate(1000), variable_rate: true },
      rate(24_000, 1001),
    ],
    ['a variable rate between standard rates', { frame_rate: rate(70), variable_rate: true }, rate(90)],
    ['a variable rate above all standard rates', { frame_rate: rate(130), variable_rate: true }, rate(130)],
  ])('%s', (_, video, expected) => {
    expect(nominalRate({ variable_rate: false, ...video })).toEqual(expected)
  })
})
