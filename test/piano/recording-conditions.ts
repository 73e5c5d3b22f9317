import { createRandom } from './seeded-random.ts'

/** Degrades mono sound as rooms and devices do. */
export const conditions = {
  clean: (sound) => sound,
  /** Hiss, 26 dB below the music. */
  noise: (sound) => addHiss(sound),
  /** A room: echoes that are 60 dB down after 1.1 s. */
  reverb: (sound, rate) => addReverb(sound, rate),
  /** A recording by a phone in a room. */
  'noise and reverb': (sound, rate) => addHiss(addReverb(sound, rate)),
  /** A low-pass filter, as in a band-limited recording. */
  'low-pass': (sound, rate) => {
    const factor = Math.exp((-2 * Math.PI * 2500) / rate)
    let state = 0
    return sound.map((sample) => (state = factor * state + (1 - factor) * sample))
  },
} as const satisfies Record<string, (sound: Float32Array, rate: number) => Float32Array>

export type Condition = keyof typeof conditions

function addHiss(sound: Float32Array): Float32Array {
  const random = createRandom(5)
  const level = rms(sound) * 10 ** (-26 / 20)
  return sound.map((sample) => sample + level * random.gaussian())
}

function rms(sound: Float32Array): number {
  return Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length)
}

/** Schroeder reverb: eight comb filters and two all-passes. */
function addReverb(sound: Float32Array, rate: number): Float32Array {
  const out = new Float32Array(sound.length)
  for (const ms of [29.7, 37.1, 41.1, 43.7, 31.3, 35.9, 39.7, 45.1]) {
    const delay = Math.round((ms * rate) / 1000)
    const feedback = 10 ** ((-3 * ms) / 1100)
    const line = new Float32Array(sound.length)
    for (let at = 0; at < sound.length; at += 1) {
      line[at] = (sound[at] ?? 0) + (at >= delay ? feedback * (line[at - delay] ?? 0) : 0)
      if (at >= delay) out[at] = (out[at] ?? 0) + (line[at - delay] ?? 0) / 8
    }
  }
  for (const ms of [5, 1.7]) allPass(out, Math.round((ms * rate) / 1000))
  const wet = (0.5 * rms(sound)) / Math.max(1e-9, rms(out))
  return sound.map((sample, at) => sample + wet * (out[at] ?? 0))
}

function allPass(sound: Float32Array, delay: number): void {
  const line = new Float32Array(sound.length)
  for (let at = 0; at < sound.length; at += 1) {
    const before = at >= delay ? (line[at - delay] ?? 0) : 0
    const now = (sound[at] ?? 0) + 0.7 * before
    line[at] = now
    sound[at] = before - 0.7 * now
  }
}
