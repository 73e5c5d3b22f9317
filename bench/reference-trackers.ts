import { pianoFrameHop, pianoSampleRate } from '../src/media/piano/frames.ts'
import { compareNotes, keyCount, lowestKey, type PianoNote } from '../src/media/piano/note.ts'

/** Activations of Basic Pitch for a whole clip: frames of 88 keys. */
export interface Activations {
  readonly onsets: Float32Array
  readonly sounding: Float32Array
}

/** Thresholds of Basic Pitch's conversion of activations to notes. */
export interface Thresholds {
  readonly onset: number
  readonly frame: number
  /** Length, frames. */
  readonly shortest: number
  /** Whether activations without an onset become notes too ("melodia trick"). */
  readonly melodia: boolean
}

export const trackers = {
  'Basic Pitch': { onset: 0.5, frame: 0.3, shortest: 11, melodia: true },
  trial: { onset: 0.7, frame: 0.4, shortest: 8, melodia: false },
} as const satisfies Record<string, Thresholds>

/** Frames below the threshold after which a note ends. */
const faintFrames = 11

/** Converts activations to notes like Basic Pitch: an onset peak starts a note, which lasts while frames exceed a threshold. */
export function notesOf({ onsets, sounding }: Activations, thresholds: Thresholds): PianoNote[] {
  const count = sounding.length / keyCount
  const onsetsWithRises = withRises(onsets, sounding)
  const remaining = sounding.slice()
  const notes: PianoNote[] = []
  const starts: number[] = []
  for (let at = keyCount; at < onsetsWithRises.length - keyCount; at += 1) {
    const strength = onsetsWithRises[at] ?? 0
    if (
      strength >= thresholds.onset &&
      strength > (onsetsWithRises[at - keyCount] ?? 0) &&
      strength > (onsetsWithRises[at + keyCount] ?? 0)
    )
      starts.push(at)
  }
  const addNote = (key: number, start: number, end: number) => {
    if (end - start <= thresholds.shortest) return
    let sum = 0
    for (let frame = start; frame < end; frame += 1) sum += sounding[frame * keyCount + key] ?? 0
    const velocity = Math.max(1, Math.round((127 * sum) / (end - start)))
    notes.push({ pitch: lowestKey + key, start: secondsOf(start), end: secondsOf(end), velocity })
  }
  const followNote = (key: number, from: number, step: 1 | -1) => {
    let [frame, faint] = [from, 0]
    for (; frame > 0 && frame < count - 1 && faint < faintFrames; frame += step) {
      faint = (remaining[frame * keyCount + key] ?? 0) < thresholds.frame ? faint + 1 : 0
    }
    return frame - step * faint
  }
  for (const at of starts.toReversed()) {
    const [frame, key] = [Math.floor(at / keyCount), at % keyCount]
    const end = followNote(key, frame + 1, 1)
    if (end - frame <= thresholds.shortest) continue
    addNote(key, frame, end)
    clear(remaining, key, [frame, end])
  }
  if (!thresholds.melodia) return notes.toSorted(compareNotes)
  for (;;) {
    const at = remaining.reduce((best, value, index) => (value > (remaining[best] ?? 0) ? index : best), 0)
    if ((remaining[at] ?? 0) <= thresholds.frame) return notes.toSorted(compareNotes)
    const [frame, key] = [Math.floor(at / keyCount), at % keyCount]
    const [start, end] = [followNote(key, frame - 1, -1) + 1, followNote(key, frame + 1, 1)]
    remaining[at] = 0
    clear(remaining, key, [start, end])
    addNote(key, start, end)
  }
}

/** Maximum of the onsets and the rises of the activations over two frames, scaled to the same peak. */
function withRises(onsets: Float32Array, sounding: Float32Array): Float32Array {
  const rises = sounding.map((value, at) =>
    at < 2 * keyCount
      ? 0
      : Math.max(
          0,
          Math.min(value - (sounding[at - keyCount] ?? 0), value - (sounding[at - 2 * keyCount] ?? 0)),
        ),
  )
  const maximum = (values: Float32Array) => values.reduce((best, value) => Math.max(best, value), 0)
  const factor = maximum(onsets) / Math.max(1e-9, maximum(rises))
  return onsets.map((value, at) => Math.max(value, factor * (rises[at] ?? 0)))
}

/** Clears the activations of a note and of its neighbouring keys, so that they start no other note. */
function clear(remaining: Float32Array, key: number, [from, to]: readonly [number, number]): void {
  for (let frame = from; frame < to; frame += 1) {
    for (const other of [key - 1, key, key + 1])
      if (other >= 0 && other < keyCount) remaining[frame * keyCount + other] = 0
  }
}

function secondsOf(frame: number): number {
  return (frame * pianoFrameHop) / pianoSampleRate
}
