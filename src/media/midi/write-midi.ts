import type { Performance } from '../piano/note.ts'

/** Tempo, beats per minute: the only entry of the tempo map. */
export const midiTempo = 120

/** Ticks per beat: at 120 beats per minute a tick is 0.52 ms. */
const ticksPerBeat = 960

const ticksPerSecond = (ticksPerBeat * midiTempo) / 60

/** A MIDI event of the track. */
interface MidiEvent {
  readonly tick: number
  /** Order of events of one tick: notes end, the pedal moves, notes begin. */
  readonly order: number
  readonly bytes: readonly number[]
}

/** Encodes a performance as a Standard MIDI File, format 0, on General MIDI's acoustic grand piano. */
export function writeMidi(performance: Performance): Buffer {
  const events = midiEvents(performance).toSorted(
    (one, other) => one.tick - other.tick || one.order - other.order,
  )
  let before = 0
  const track = [
    ...deltaEvent(0, [0xff, 0x51, 3, ...bigEndian(60e6 / midiTempo, 3)]),
    ...deltaEvent(0, [0xff, 0x58, 4, 4, 2, 24, 8]),
    ...deltaEvent(0, [0xc0, 0]),
  ]
  for (const { tick, bytes } of events) {
    for (const byte of deltaEvent(tick - before, bytes)) track.push(byte)
    before = tick
  }
  track.push(...deltaEvent(0, [0xff, 0x2f, 0]))
  return Buffer.from([
    ...Buffer.from('MThd'),
    ...bigEndian(6, 4),
    ...bigEndian(0, 2),
    ...bigEndian(1, 2),
    ...bigEndian(ticksPerBeat, 2),
    ...Buffer.from('MTrk'),
    ...bigEndian(track.length, 4),
    ...track,
  ])
}

function midiEvents({ notes, pedals }: Performance): MidiEvent[] {
  const tick = (seconds: number) => Math.max(0, Math.round(seconds * ticksPerSecond))
  return [
    ...notes.flatMap(({ pitch, start, end, velocity }) => [
      { tick: tick(start), order: 3, bytes: [0x90, pitch, velocity] },
      { tick: Math.max(tick(start) + 1, tick(end)), order: 0, bytes: [0x80, pitch, 64] },
    ]),
    ...pedals.flatMap(({ start, end }) => [
      { tick: tick(start), order: 2, bytes: [0xb0, 64, 127] },
      { tick: Math.max(tick(start) + 1, tick(end)), order: 1, bytes: [0xb0, 64, 0] },
    ]),
  ]
}

function deltaEvent(ticks: number, bytes: readonly number[]): number[] {
  return [...variableLength(ticks), ...bytes]
}

/** Variable-length quantity: seven bits per byte, highest first; all bytes but the last have the top bit set. */
function variableLength(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

function bigEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => (value >>> (8 * (bytes - 1 - index))) & 0xff)
}
