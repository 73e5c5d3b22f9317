import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { editableRate, formatTimecode, parseTimecode, timebaseOf } from './timecode.ts'

test('a timecode and its frame count convert into each other', () => {
  const anyTimecode = fc.tuple(fc.constantFrom(24, 25, 30, 50, 60), fc.nat(2_500_000), fc.boolean())
  fc.assert(
    fc.property(anyTimecode, ([timebase, frames, drops]) => {
      const dropFrame = drops && timebase % 30 === 0
      const text = formatTimecode(frames, { timebase, dropFrame })
      expect(parseTimecode(text, timebase)).toEqual({ frames, dropFrame })
    }),
  )
})

test.each([
  ['01:00:00:00', 30, 108_000],
  ['01:00:00;00', 30, 107_892],
  ['00:01:00;02', 30, 1800],
  ['00:09:59;29', 30, 17_981],
  ['00:10:00;00', 30, 17_982],
  ['00:01:00;04', 60, 3600],
])('%s at %i frames per second is frame %i', (text, timebase, frames) => {
  expect(parseTimecode(text, timebase)?.frames).toBe(frames)
  expect(formatTimecode(frames, { timebase, dropFrame: text.includes(';') })).toBe(text)
})

test.each([24, 25, 50])('a semicolon has no meaning at %i frames per second', (timebase) => {
  expect(parseTimecode('01:00:00;00', timebase)).toEqual({ frames: 3600 * timebase, dropFrame: false })
})

test.each(['', 'x', '1:2:3', '00:00:60:00', '00:60:00:00', '00:00:00:30', '00:00:00:00 extra'])(
  '"%s" is no timecode at 30 frames per second',
  (text) => {
    expect(parseTimecode(text, 30)).toBeUndefined()
  },
)

test.each([
  [
    { num: 30_000, den: 1001 },
    { num: 30_000, den: 1001 },
    { timebase: 30, ntsc: true },
  ],
  [
    { num: 2997, den: 100 },
    { num: 30_000, den: 1001 },
    { timebase: 30, ntsc: true },
  ],
  [
    { num: 25, den: 1 },
    { num: 25, den: 1 },
    { timebase: 25, ntsc: false },
  ],
  [
    { num: 23_976, den: 1000 },
    { num: 24_000, den: 1001 },
    { timebase: 24, ntsc: true },
  ],
  [
    { num: 25, den: 2 },
    { num: 13, den: 1 },
    { timebase: 13, ntsc: false },
  ],
])('a video of %o is cut at %o', (rate, editable, timebase) => {
  expect(editableRate(rate)).toEqual(editable)
  expect(timebaseOf(editable)).toEqual(timebase)
})
