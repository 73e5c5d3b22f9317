import { speechRate, type TimeSpan } from '../../src/media/speech/speech-types.ts'

/** A piece of a generated recording: a sound at an RMS level in dBFS. */
export interface Piece {
  readonly kind: 'vowel' | 'hiss' | 'breath' | 'burst' | 'silence'
  readonly seconds: number
  readonly level: number
}

/** Uniform noise from -1 to 1, the same for each seed (mulberry32). */
export function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}

/** Samples of a piece before its level is set. */
function waveform({ kind }: Piece, count: number, random: () => number): Float32Array {
  const samples = new Float32Array(count)
  let [low, lower, previous] = [0, 0, 0]
  for (let at = 0; at < count; at += 1) {
    const time = at / speechRate
    if (kind === 'vowel') {
      const pitch = 2 * Math.PI * (120 * time - 8 * time * time)
      let sum = 0.01 * random()
      const twice = 2 * Math.cos(pitch)
      let [before, cosine] = [1, twice / 2]
      for (let partial = 1; partial <= 20; partial += 1) {
        sum += cosine / partial
        // cos((n + 1) x) = 2 cos(x) cos(n x) - cos((n - 1) x)
        const next = twice * cosine - before
        before = cosine
        cosine = next
      }
      samples[at] = sum
    } else if (kind === 'breath') {
      // Band noise of about 300 to 2,500 Hz.
      low += 0.6 * (random() - low)
      lower += 0.6 * (low - lower)
      previous += 0.1 * (lower - previous)
      samples[at] = lower - previous
    } else if (kind === 'hiss') {
      const white = random()
      samples[at] = white - previous
      previous = white
    } else samples[at] = random()
  }
  return samples
}

/** Returns a recording of pieces with room tone at a level in dBFS: mono, 16 kHz, and the spans of its pieces. */
export function record(
  pieces: readonly Piece[],
  { room = -70, seed = 1 } = {},
): { samples: Float32Array; spans: TimeSpan[] } {
  const random = noise(seed)
  const spans: TimeSpan[] = []
  let at = 0
  for (const { seconds } of pieces) {
    spans.push({ start: at / speechRate, end: (at + Math.round(seconds * speechRate)) / speechRate })
    at += Math.round(seconds * speechRate)
  }
  const [deviation, level] = [Math.sqrt(3), 10 ** (room / 20)]
  const samples = new Float32Array(at)
  for (let sample = 0; sample < at; sample += 1) samples[sample] = random() * deviation * level
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'silence') continue
    const from = Math.round((spans[index]?.start ?? 0) * speechRate)
    const sound = waveform(piece, Math.round(piece.seconds * speechRate), random)
    const rms = Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length)
    const gain = 10 ** (piece.level / 20)
    for (let offset = 0; offset < sound.length; offset += 1)
      samples[from + offset] = (samples[from + offset] ?? 0) + ((sound[offset] ?? 0) / rms) * gain
  }
  return { samples, spans }
}

/** A voiced sound of falling pitch at a level in dBFS. */
export function vowel(seconds: number, level = -20): Piece {
  return { kind: 'vowel', seconds, level }
}

/** A pause. */
export function silence(seconds: number): Piece {
  return { kind: 'silence', seconds, level: 0 }
}

/** A sibilant at a level in dBFS. */
export function hiss(seconds: number, level: number): Piece {
  return { kind: 'hiss', seconds, level }
}

/** White noise, as of a stop, at a level in dBFS. */
export function burst(seconds: number, level: number): Piece {
  return { kind: 'burst', seconds, level }
}

/** A breath at a level in dBFS. */
export function breath(seconds: number, level: number): Piece {
  return { kind: 'breath', seconds, level }
}
