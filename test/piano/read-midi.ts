import type { PedalSpan, Performance, PianoNote } from '../../src/media/piano/note.ts'

/** An event of a track. */
interface Event {
  readonly tick: number
  readonly status: number
  readonly data: readonly number[]
}

/**
 * Returns the notes and pedals of all tracks and channels of a Standard MIDI File, except drums, timed by its tempo map.
 * Throws RangeError for other data.
 */
export function readMidi(bytes: Uint8Array): Performance {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0) !== 0x4d_54_68_64) throw new RangeError('not a MIDI file')
  const division = view.getUint16(12)
  if (division >= 0x8000) throw new RangeError('SMPTE time codes are not supported')
  if (division === 0) throw new RangeError('the division is 0')
  const events: Event[] = []
  for (let at = 8 + view.getUint32(4); at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4)
    if (view.getUint32(at) === 0x4d_54_72_6b)
      for (const event of eventsOf(bytes.subarray(at + 8, at + 8 + length))) events.push(event)
    at += 8 + length
  }
  return perform(
    events.toSorted((one, other) => one.tick - other.tick),
    division,
  )
}

/** Events of a track, in order. */
function* eventsOf(bytes: Uint8Array): Generator<Event> {
  let [at, tick, running] = [0, 0, 0]
  const next = () => bytes[at++] ?? 0
  const number = () => {
    let value = 0
    for (;;) {
      const byte = next()
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    tick += number()
    if ((bytes[at] ?? 0) >= 0x80) running = next()
    const kind = running >= 0xf0 ? running : running & 0xf0
    const type = kind === 0xff ? next() : kind
    const count = kind >= 0xf0 ? number() : kind === 0xc0 || kind === 0xd0 ? 1 : 2
    yield { tick, status: kind === 0xff ? type : running, data: [...bytes.subarray(at, at + count)] }
    at += count
  }
}

/** Meta event that sets the microseconds per beat. */
const setTempo = 0x51

/** Default microseconds per beat (120 beats per minute). */
const defaultBeat = 500_000

/** Channel of the drums, from 0. */
const drums = 9

function perform(events: readonly Event[], division: number): Performance {
  const notes: PianoNote[] = []
  const pedals: PedalSpan[] = []
  const soundingNotes = new Map<number, { start: number; velocity: number }>()
  const down = new Map<number, number>()
  /** Last change of the tempo. */
  let last = { tick: 0, seconds: 0, beat: defaultBeat }
  for (const { tick, status, data } of events) {
    const now = last.seconds + ((tick - last.tick) * last.beat) / (1e6 * division)
    if (status === setTempo)
      last = { tick, seconds: now, beat: data.reduce((value, byte) => value * 256 + byte, 0) }
    const [kind, channel, [first = 0, second = 0]] = [status & 0xf0, status & 0x0f, data]
    const key = channel * 128 + first
    if (status < 0x80 || channel === drums) continue
    const before = soundingNotes.get(key)
    if ((kind === 0x90 || kind === 0x80) && before) {
      notes.push({ pitch: first, end: now, ...before })
      soundingNotes.delete(key)
    }
    if (kind === 0x90 && second > 0) soundingNotes.set(key, { start: now, velocity: second })
    if (kind !== 0xb0 || first !== 64) continue
    const pedalStart = down.get(channel)
    if (second >= 64) down.set(channel, pedalStart ?? now)
    else if (pedalStart !== undefined) {
      pedals.push({ start: pedalStart, end: now })
      down.delete(channel)
    }
  }
  return { notes: notes.toSorted((one, other) => one.start - other.start || one.pitch - other.pitch), pedals }
}
