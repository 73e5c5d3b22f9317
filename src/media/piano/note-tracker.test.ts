import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { partialCount, silenceDb, silentFrame, type PianoFrame } from './frames.ts'
import { compareNotes, keyCount } from './note.ts'
import { NoteTracker, type TranscribedNote } from './note-tracker.ts'

/** A strike: the onset rises and falls over three frames, then the key sounds and fades. */
const strike = fc.record({
  key: fc.integer({ min: 0, max: keyCount - 1 }),
  at: fc.integer({ min: 8, max: 90 }),
  lasts: fc.integer({ min: 3, max: 60 }),
  onset: fc.double({ min: 0.2, max: 1, noNaN: true }),
  sounding: fc.double({ min: 0.2, max: 1, noNaN: true }),
  level: fc.double({ min: -60, max: -10, noNaN: true }),
})

const strikes = fc.array(strike, { minLength: 3, maxLength: 14 })

/** Frames of strikes of a few keys; each partial is slightly quieter than the previous one. */
function framesOf(
  struck: readonly (typeof strike extends fc.Arbitrary<infer S> ? S : never)[],
): PianoFrame[] {
  const frames = Array.from({ length: 120 }, () => ({
    onsets: new Float32Array(keyCount),
    sounding: new Float32Array(keyCount),
    levels: new Float32Array(keyCount * partialCount).fill(silenceDb),
  }))
  for (const { key, at, lasts, onset, sounding, level } of struck) {
    for (const [apart, share] of [0.4, 1, 0.4].entries()) {
      const { onsets } = frames[at - 1 + apart] ?? silentFrame
      onsets[key] = Math.max(onsets[key] ?? 0, share * onset)
    }
    for (const [since, frame] of frames.slice(at, at + lasts).entries()) {
      frame.sounding[key] = sounding
      for (let partial = 0; partial < partialCount; partial += 1)
        frame.levels[key * partialCount + partial] = level - since / 4 - 6 * partial
    }
  }
  return frames
}

function track(frames: readonly PianoFrame[]): TranscribedNote[] {
  const tracker = new NoteTracker()
  const notes = frames.flatMap((one) => tracker.push(one))
  return [...notes, ...tracker.finish()].toSorted(compareNotes)
}

it('for any input, notes have a positive length and notes of a key do not overlap', () => {
  let seen = 0
  fc.assert(
    fc.property(strikes, (struck) => {
      const frames = framesOf(struck)
      for (const notes of Map.groupBy(track(frames), ({ pitch }) => pitch).values()) {
        seen += notes.length
        for (const [at, { start, end, soundEnd: gone, probability: sure }] of notes.entries()) {
          expect(end).toBeGreaterThan(start)
          expect(gone).toBeGreaterThanOrEqual(end)
          expect(sure).toBeLessThanOrEqual(1)
          expect(end).toBeLessThanOrEqual(notes[at + 1]?.start ?? Infinity)
        }
      }
    }),
    { numRuns: 100, seed: 1 },
  )
  expect(seen).toBeGreaterThan(100)
})

/** A key struck repeatedly, sounding loudly or faintly until the next strike. */
const struckAgain = fc.array(
  fc.record({
    lasts: fc.integer({ min: 4, max: 30 }),
    onset: fc.double({ min: 0.5, max: 1, noNaN: true }),
    sounding: fc.constantFrom(0.2, 0.9),
    /** Asymmetry of the onset around its frame. */
    lean: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
  }),
  { minLength: 10, maxLength: 20, size: 'max' },
)

it('notes of a repeated key are in order and do not overlap', () => {
  let seen = 0
  fc.assert(
    fc.property(struckAgain, fc.integer({ min: 0, max: keyCount - 1 }), (struck, key) => {
      let at = 10
      const strokes = struck.map(({ lasts, ...stroke }) => ({ ...stroke, lasts, at: (at += lasts) - lasts }))
      const frames = Array.from({ length: at + 10 }, () => ({
        onsets: new Float32Array(keyCount),
        sounding: new Float32Array(keyCount),
        levels: new Float32Array(keyCount * partialCount).fill(silenceDb),
      }))
      for (const { at: from, lasts, onset, sounding, lean } of strokes) {
        for (const [apart, share] of [0.4 + lean, 1, 0.4 - lean].entries())
          frames[from - 1 + apart]?.onsets.fill(share * onset, key, key + 1)
        for (const [since, frame] of frames.slice(from, from + lasts).entries()) {
          frame.sounding[key] = sounding
          frame.levels.fill(-20 - since, key * partialCount, (key + 1) * partialCount)
        }
      }
      const tracker = new NoteTracker()
      const notes = [...frames.flatMap((frame) => tracker.push(frame)), ...tracker.finish()]
      seen += notes.length
      for (const [index, { start, end, soundEnd: gone }] of notes.entries()) {
        expect(end).toBeGreaterThan(start)
        expect(notes[index + 1]?.start ?? Infinity).toBeGreaterThanOrEqual(gone)
      }
    }),
    { numRuns: 60, seed: 1 },
  )
  expect(seen).toBeGreaterThan(200)
})

it('silence has no notes, and leading silence shifts all notes equally', () => {
  expect(track(Array.from({ length: 100 }, () => silentFrame))).toEqual([])
  fc.assert(
    fc.property(strikes, fc.integer({ min: 1, max: 99 }), (struck, late) => {
      const frames = framesOf(struck)
      const moved = track([...Array.from({ length: late }, () => silentFrame), ...frames])
      const notes = track(frames)
      expect(moved.map(({ pitch, velocity }) => [pitch, velocity])).toEqual(
        notes.map(({ pitch, velocity }) => [pitch, velocity]),
      )
      for (const [at, { start }] of notes.entries()) {
        expect(moved[at]?.start).toBeCloseTo(start + (late * 256) / 22_050, 6)
      }
    }),
    { numRuns: 50, seed: 1 },
  )
})
