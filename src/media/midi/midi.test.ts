import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Performance } from '../piano/note.ts'
import { readMidi } from '../../../test/piano/read-midi.ts'
import { writeMidi } from './write-midi.ts'

const moment = fc.double({ min: 0, max: 30_000, noNaN: true })

/** Keys that are released before they are struck again. */
const performance: fc.Arbitrary<Performance> = fc
  .record({
    notes: fc.uniqueArray(
      fc.record({
        pitch: fc.integer({ min: 21, max: 108 }),
        start: moment,
        lasts: fc.double({ min: 0.01, max: 20, noNaN: true }),
        velocity: fc.integer({ min: 1, max: 127 }),
      }),
      { selector: ({ pitch }) => pitch, maxLength: 40 },
    ),
    pedal: fc.option(fc.tuple(moment, fc.double({ min: 0.1, max: 9, noNaN: true }))),
  })
  .map(({ notes, pedal }) => ({
    notes: notes
      .map(({ lasts, ...note }) => ({ ...note, end: note.start + lasts }))
      .toSorted((one, other) => one.start - other.start || one.pitch - other.pitch),
    pedals: pedal ? [{ start: pedal[0], end: pedal[0] + pedal[1] }] : [],
  }))

describe('a MIDI file', () => {
  it('stores a performance to half a tick', () => {
    const halfTick = 1 / 1920 / 2 + 1e-6
    fc.assert(
      fc.property(performance, (played) => {
        const read = readMidi(writeMidi(played))
        expect(read.notes).toHaveLength(played.notes.length)
        for (const note of played.notes) {
          const found = read.notes.find(({ pitch }) => pitch === note.pitch)
          expect(found?.velocity).toBe(note.velocity)
          expect(Math.abs((found?.start ?? 0) - note.start)).toBeLessThan(halfTick)
          expect(Math.abs((found?.end ?? 0) - note.end)).toBeLessThan(halfTick)
        }
        expect(read.pedals).toHaveLength(played.pedals.length)
      }),
      { seed: 1 },
    )
  })

  it('has format 0, one tempo of 120 and a grand piano', () => {
    const bytes = writeMidi({ notes: [{ pitch: 60, start: 0.5, end: 1, velocity: 80 }], pedals: [] })
    expect(bytes.toString('latin1', 0, 4)).toBe('MThd')
    expect([bytes.readUInt16BE(8), bytes.readUInt16BE(10), bytes.readUInt16BE(12)]).toEqual([0, 1, 960])
    expect(bytes.readUInt32BE(18)).toBe(bytes.length - 22)
    expect(bytes.subarray(22, 29)).toEqual(Buffer.from([0, 0xff, 0x51, 3, 0x07, 0xa1, 0x20]))
    // Half a second later, which is a beat: 960 ticks in two bytes.
    expect(bytes.includes(Buffer.from([0x87, 0x40, 0x90, 60, 80]))).toBe(true)
    expect(bytes.subarray(-4)).toEqual(Buffer.from([0, 0xff, 0x2f, 0]))
  })

  it('is read with its own tempo map', () => {
    // A note a tick, and a new tempo: alternately 1000 and 2000 microseconds a tick.
    const count = 100_000
    const event = (tempo: number) => [
      1,
      0xff,
      0x51,
      3,
      0,
      tempo >> 8,
      tempo & 255,
      0,
      0x90,
      60,
      64,
      1,
      0x80,
      60,
      0,
    ]
    const both = [...event(1000), ...event(2000)]
    const track = Buffer.concat(Array.from({ length: count / 2 }, () => Buffer.from(both)))
    const head = Buffer.from('MThd\0\0\0\x06\0\0\0\x01\0\x01MTrk\0\0\0\0', 'latin1')
    head.writeUInt32BE(track.length, 18)
    const { notes } = readMidi(Buffer.concat([head, track]))
    expect(notes).toHaveLength(count)
    expect(notes[1]?.start).toBeCloseTo(0.502, 9)
    // The first tick is of the usual tempo; the last note ends a tick before the two of its own are over.
    expect(notes.at(-1)?.end).toBeCloseTo(0.5 + (count / 2) * (0.002 + 0.004) - 0.002, 6)
  })

  it('rejects other data', () => {
    expect(() => readMidi(Buffer.from('RIFF and so on'))).toThrow(RangeError)
    const timeless = writeMidi({ notes: [], pedals: [] })
    timeless.writeUInt16BE(0, 12)
    expect(() => readMidi(timeless)).toThrow('the division is 0')
  })
})
