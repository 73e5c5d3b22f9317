import type { PedalSpan, Performance, PianoNote } from '../../src/media/piano/note.ts'
import { createRandom, type SeededRandom } from './seeded-random.ts'

interface Draft {
  readonly notes: PianoNote[]
  readonly pedals: PedalSpan[]
  readonly random: SeededRandom
  /** Length of a beat, seconds. */
  readonly beat: number
  /** Mean velocity, 1 to 127. */
  readonly velocity: number
}

/** Kinds of generated pieces. */
export const kinds = {
  scales(draft: Draft) {
    const { random, beat } = draft
    let time = 0
    while (time < length) {
      const from = random.integer(30, 84)
      const up = random.uniform() < 0.5 ? 1 : -1
      const hands = random.uniform() < 0.4 ? [0, 12] : [0]
      for (let step = 0; step < 12 && time < length; step += 1) {
        const degree = major[step % 7] ?? 0
        for (const apart of hands) {
          addNote(draft, from + apart + up * (degree + 12 * Math.floor(step / 7)), time, beat / 4)
        }
        time += beat / 4
      }
    }
  },
  chords(draft: Draft) {
    const { random, beat } = draft
    for (let time = 0; time < length; time += random.pick([0.5, 1, 1, 2]) * beat) {
      const root = random.integer(36, 72)
      const shape = random.pick(shapes)
      for (const apart of shape) addNote(draft, root + apart, time, beat * 0.9)
      if (random.uniform() < 0.5) addNote(draft, root - 12, time, beat * 0.9)
      if (random.uniform() < 0.3) addNote(draft, root - 24, time, beat * 0.9)
    }
  },
  /** Broken chords, sustained by the pedal. */
  arpeggios(draft: Draft) {
    const { random, beat } = draft
    for (let time = 0; time < length;) {
      const root = random.integer(33, 55)
      const shape = random.pick(shapes)
      const tones = [0, 12, 24].flatMap((octave) => shape.map((apart) => root + apart + octave))
      const start = time
      for (const pitch of tones.slice(0, random.integer(6, tones.length))) {
        addNote(draft, pitch, time, beat / 4)
        time += beat / 4
      }
      draft.pedals.push({ start: start + 0.03, end: time - 0.02 })
    }
  },
  alberti(draft: Draft) {
    const { random, beat } = draft
    for (let time = 0, bar = 0; time < length; bar += 1) {
      const root = random.integer(43, 55)
      const [low = 0, middle = 4, high = 7] = random.pick(shapes)
      for (const apart of [low, high, middle, high, low, high, middle, high]) {
        addNote(draft, root + apart, time, beat / 4, -12)
        if (random.uniform() < 0.45) {
          addNote(draft, root + 17 + (major[random.integer(0, 6)] ?? 0), time, beat / random.pick([2, 4]))
        }
        time += beat / 4
      }
    }
  },
  /** Repeated keys. */
  repeated(draft: Draft) {
    const { random, beat } = draft
    for (let time = 0; time < length;) {
      const keys = random.pick([[0], [0], [0, 4], [0, 7], [0, 12]])
      const root = random.integer(36, 86)
      const times = random.integer(3, 8)
      for (let index = 0; index < times && time < length; index += 1) {
        for (const apart of keys) addNote(draft, root + apart, time, beat / 4)
        time += beat / 4
      }
    }
  },
  /** Both ends of the keyboard at once. */
  leaps(draft: Draft) {
    const { random, beat } = draft
    for (let time = 0; time < length; time += random.pick([0.25, 0.5, 1]) * beat) {
      addNote(draft, random.integer(24, 48), time, beat * random.pick([0.4, 0.9]))
      if (random.uniform() < 0.7) addNote(draft, random.integer(60, 100), time, beat * 0.4)
      if (random.uniform() < 0.3) addNote(draft, random.integer(50, 76), time + 0.02, beat * 0.4)
    }
  },
  trills(draft: Draft) {
    const { random, beat } = draft
    for (let time = 0; time < length;) {
      const root = random.integer(52, 88)
      const apart = random.integer(1, 2)
      const step = beat / random.pick([6, 8])
      addNote(draft, root - 19, time, beat)
      for (let index = 0; index < 10; index += 1)
        addNote(draft, root + (index % 2) * apart, time + index * step, step)
      time += 10 * step + beat / 2
    }
  },
  /** Four independent voices. */
  voices(draft: Draft) {
    const { random, beat } = draft
    for (const [voice, middle] of [40, 52, 62, 74].entries()) {
      let pitch = middle
      for (let time = voice * 0.1; time < length;) {
        const lasts = random.pick([0.5, 0.5, 1, 1.5]) * beat
        addNote(draft, pitch, time, lasts * 0.95)
        pitch = Math.min(middle + 9, Math.max(middle - 9, pitch + random.integer(-4, 4)))
        time += lasts
      }
    }
  },
} as const

export type Kind = keyof typeof kinds

/** Seconds within which the notes of a piece start. */
const length = 9

const major = [0, 2, 4, 5, 7, 9, 11]
const shapes = [
  [0, 4, 7],
  [0, 3, 7],
  [0, 4, 7, 10],
  [0, 3, 6, 9],
  [0, 5, 9],
  [0, 3, 8],
  [0, 2, 7],
]

/** A piece of a kind, reproducible by seed. `velocity` (1 to 127) is the mean of its velocities. */
export function generatePiece(kind: Kind, seed: number, velocity?: number): Performance {
  const random = createRandom(seed * 31 + Object.keys(kinds).indexOf(kind))
  const draft: Draft = {
    ...{ notes: [], pedals: [], random },
    beat: 60 / random.integer(60, 150),
    velocity: velocity ?? random.integer(45, 95),
  }
  kinds[kind](draft)
  return { notes: ordered(draft.notes), pedals: draft.pedals }
}

/** The first seconds of a piece. Notes and pedals are clipped to them. */
export function firstSeconds({ notes, pedals }: Performance, seconds: number): Performance {
  const clipSpans = <Span extends PedalSpan>(spans: readonly Span[]): Span[] =>
    spans
      .filter(({ start }) => start < seconds - 0.3)
      .map((span) => ({ ...span, end: Math.min(span.end, seconds) }))
  return { notes: clipSpans(notes), pedals: clipSpans(pedals) }
}

function addNote(draft: Draft, pitch: number, time: number, lasts: number, louder = 0): void {
  if (pitch < 21 || pitch > 108) return
  const { random, velocity: meanVelocity } = draft
  const start = Math.max(0, time + random.gaussian() * 0.008)
  const velocity = Math.round(Math.min(120, Math.max(12, meanVelocity + louder + 12 * random.gaussian())))
  draft.notes.push({
    pitch,
    start,
    end: start + Math.max(0.06, lasts * (0.8 + 0.2 * random.uniform())),
    velocity,
  })
}

/** Sorted by time; a repeated key is released just before. */
export function ordered(notes: readonly PianoNote[]): PianoNote[] {
  const sorted = notes.toSorted((one, other) => one.start - other.start || one.pitch - other.pitch)
  const result: PianoNote[] = []
  for (const [index, note] of sorted.entries()) {
    const before = result.findLast(({ pitch }) => pitch === note.pitch)
    if (before && note.start - before.start < 0.05) continue
    const again = sorted
      .slice(index + 1)
      .find(({ pitch, start }) => pitch === note.pitch && start - note.start >= 0.05)
    result.push(again ? { ...note, end: Math.min(note.end, again.start - 0.01) } : note)
  }
  return result
}
