import type { Performance } from '../piano/note.ts'

/** Beats a minute, as the only entry of the tempo map. */
export const midiTempo = 120

/** Ticks of a beat: at 120 beats a minute one lasts 0.52 ms. */
const ticksPerBeat = 960

const ticksPerSecond = (ticksPerBeat * midiTempo) / 60

/** An event of a track and its place in time. */
interface MidiEvent {
  readonly tick: number
  /** Of one moment: notes end, then the pedal moves, then notes begin. */
  readonly turn: number
  readonly bytes: readonly number[]
}

/** A Standard MIDI File of format 0 with a performance on General MIDI's grand piano. */
export function writeMidi(performance: Performance): Buffer {
  const events = midiEvents(performance).toSorted(
    (one, other) => one.tick - other.tick || one.turn - other.turn,
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
      { tick: tick(start), turn: 3, bytes: [0x90, pitch, velocity] },
      { tick: Math.max(tick(start) + 1, tick(end)), turn: 0, bytes: [0x80, pitch, 64] },
    ]),
    ...pedals.flatMap(({ start, end }) => [
      { tick: tick(start), turn: 2, bytes: [0xb0, 64, 127] },
      { tick: Math.max(tick(start) + 1, tick(end)), turn: 1, bytes: [0xb0, 64, 0] },
    ]),
  ]
}

function deltaEvent(ticks: number, bytes: readonly number[]): number[] {
  return [...variableLength(ticks), ...bytes]
}

/** Seven bits a byte, the highest first; all but the last are marked. */
function variableLength(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

function bigEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => (value >>> (8 * (bytes - 1 - index))) & 0xff)
}
