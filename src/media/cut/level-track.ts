import { speechRate } from '../speech/speech-types.ts'

/** Samples per hop at 16 kHz, and its seconds. */
const hopSamples = 80
export const hopSeconds = hopSamples / speechRate

/** Bytes of a level curve: decibels below full scale in halves, and periodicity in 1/255. */
const stepsPerDecibel = 2

/** Hops per block of the noise floor (0.5 s), and blocks before and after that are included (6 s). */
const blockHops = 100
const floorBlocks = 12

/** Share of the hops of a window that are at most at the noise floor, and the lowest floor, dBFS. */
const floorShare = 0.05
const lowestFloor = -70

/** Corner frequencies, Hz: rumble is removed, sibilants are above, the harmonics of a voice below. */
const corners = { rumble: 100, sibilants: 3500, voice: 900 } as const

/** The periodicity is measured at 4 kHz over 40 ms, for pitches of 70 to 400 Hz. */
const decimation = 4
const windowSamples = 160
const lags = { first: 10, last: 57 } as const
/** Energy of a window without sound: -110 dBFS. */
const minEnergy = 1e-9
/** Hops from the middle of the window and its longest lag to its end. */
const periodicityDelay = 5

/** Parts of a hop whose peaks are measured: 1 ms. */
export const partsPerHop = 5
const partSamples = hopSamples / partsPerHop

/** Hops after a part that its peak depends on: filters run backward over them. */
const lookaheadHops = 6

/**
 * Levels and periodicity of a recording per hop of 5 ms, with peaks per 1 ms; eight bytes per hop, 5.8 MB per hour.
 */
export interface LevelCurve {
  /** Number of hops. */
  readonly hops: number
  /** Level above 100 Hz, dBFS (RMS), -127.5 to 0. */
  level(hop: number): number
  /**
   * Highest sample above 100 Hz of a 1 ms part, counted from 0, dBFS, -127.5 to 0. It rings neither before nor after an
   * abrupt sound, because it is the lower one of a forward and a backward filter.
   */
  peak(part: number): number
  /** Level above 3.5 kHz, dBFS. */
  sibilance(hop: number): number
  /** Normalised autocorrelation below 900 Hz, 0 to 1, highest for pitches of 70 to 400 Hz. */
  periodicity(hop: number): number
  /** Noise floor near a hop, dBFS: 5th percentile of 12 s, at least -70. */
  floor(hop: number): number
  /** Noise floor above 3.5 kHz, dBFS. */
  sibilanceFloor(hop: number): number
}

/** A growing list of bytes. */
class ByteList {
  #bytes = new Uint8Array(4096)
  length = 0

  push(value: number): void {
    if (this.length === this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#bytes.length)
      longer.set(this.#bytes)
      this.#bytes = longer
    }
    this.#bytes[this.length] = value
    this.length += 1
  }

  /** Copies the list. */
  toArray(): Uint8Array {
    return this.#bytes.slice(0, this.length)
  }
}

/** Second-order filter in transposed direct form II, with Butterworth damping (R. Bristow-Johnson's cookbook). */
class Biquad {
  readonly #b0: number
  readonly #b1: number
  readonly #a1: number
  readonly #a2: number
  #first = 0
  #second = 0

  constructor(kind: 'low' | 'high', hertz: number) {
    const angle = (2 * Math.PI * hertz) / speechRate
    const [cosine, alpha] = [Math.cos(angle), Math.sin(angle) / Math.SQRT2]
    const scale = 1 + alpha
    this.#b0 = (kind === 'low' ? 1 - cosine : 1 + cosine) / (2 * scale)
    this.#b1 = (kind === 'low' ? 2 : -2) * this.#b0
    this.#a1 = (-2 * cosine) / scale
    this.#a2 = (1 - alpha) / scale
  }

  filter(sample: number): number {
    const output = this.#b0 * sample + this.#first
    this.#first = this.#b1 * sample - this.#a1 * output + this.#second
    this.#second = this.#b0 * sample - this.#a2 * output
    return output
  }
}

/** Peaks of 1 ms parts, found from the sound and from its reverse. */
class PeakMeter {
  readonly #forward = new Biquad('high', corners.rumble)
  /** The latest samples, and those samples after the forward filter: a hop, and those that follow it. */
  readonly #samples = new Float32Array((1 + lookaheadHops) * hopSamples)
  readonly #filtered = new Float32Array(this.#samples.length)
  readonly #peaks = new ByteList()
  #hops = 0

  /** Adds the samples of a hop. */
  add(hop: Float32Array): void {
    for (const list of [this.#samples, this.#filtered]) list.copyWithin(0, hopSamples)
    const from = this.#samples.length - hopSamples
    for (let at = 0; at < hopSamples; at += 1) {
      const sample = hop[at] ?? 0
      this.#samples[from + at] = sample
      this.#filtered[from + at] = this.#forward.filter(sample)
    }
    this.#hops += 1
    if (this.#hops > lookaheadHops) this.#measure()
  }

  /** Measures the oldest hop. */
  #measure(): void {
    const backward = new Biquad('high', corners.rumble)
    for (let at = this.#samples.length - 1; at >= hopSamples; at -= 1) backward.filter(this.#samples[at] ?? 0)
    const peaks = new Float64Array(partsPerHop)
    for (let at = hopSamples - 1; at >= 0; at -= 1) {
      const lower = Math.min(
        Math.abs(backward.filter(this.#samples[at] ?? 0)),
        Math.abs(this.#filtered[at] ?? 0),
      )
      const part = Math.floor(at / partSamples)
      peaks[part] = Math.max(peaks[part] ?? 0, lower)
    }
    for (const peak of peaks) this.#peaks.push(levelByte(peak * peak))
  }

  /** Returns the peaks of all parts, as bytes of levels. Call it once. */
  finish(): Uint8Array {
    const silence = new Float32Array(hopSamples)
    for (let hop = 0; hop < lookaheadHops; hop += 1) this.add(silence)
    return this.#peaks.toArray()
  }
}

/** Periodicity of the latest 40 ms of samples at 4 kHz. */
class PeriodicityMeter {
  readonly #low = new Biquad('low', corners.voice)
  readonly #steeper = new Biquad('low', corners.voice)
  readonly #history = new Float64Array(windowSamples + lags.last)

  /** Adds the samples of a hop. Returns the periodicity of the window that they end, 0 to 1. */
  add(samples: Float32Array): number {
    const history = this.#history
    const kept = history.length - hopSamples / decimation
    history.copyWithin(0, hopSamples / decimation)
    for (let at = 0; at < hopSamples; at += 1) {
      const low = this.#steeper.filter(this.#low.filter(samples[at] ?? 0))
      if (at % decimation === 0) history[kept + at / decimation] = low
    }
    return this.#correlation()
  }

  #correlation(): number {
    const history = this.#history
    const energy = sumOfProducts(history, 0)
    if (energy < minEnergy) return 0
    let delayed = energy
    let highest = 0
    for (let lag = 1; lag <= lags.last; lag += 1) {
      const [added, dropped] = [history[lags.last - lag] ?? 0, history[history.length - lag] ?? 0]
      delayed += added * added - dropped * dropped
      if (lag < lags.first || delayed < minEnergy) continue
      highest = Math.max(highest, sumOfProducts(history, lag) / Math.sqrt(energy * delayed))
    }
    return highest
  }
}

/** Sum of the products of the window's samples with those `lag` samples earlier. */
function sumOfProducts(history: Float64Array, lag: number): number {
  let sum = 0
  for (let at = lags.last; at < history.length; at += 1) sum += (history[at] ?? 0) * (history[at - lag] ?? 0)
  return sum
}

/** Builds a level curve from chunks of samples of any size: mono, 16 kHz, -1 to 1. Samples are not kept. */
export class LevelTrack {
  readonly #rumble = new Biquad('high', corners.rumble)
  readonly #sibilants = new Biquad('high', corners.sibilants)
  readonly #meter = new PeriodicityMeter()
  readonly #peaks = new PeakMeter()
  readonly #levels = new ByteList()
  readonly #sibilances = new ByteList()
  readonly #periodicities = new ByteList()
  readonly #hop = new Float32Array(hopSamples)
  #filled = 0

  /** Adds samples. */
  add(samples: Float32Array): void {
    let from = 0
    while (from < samples.length) {
      const count = Math.min(hopSamples - this.#filled, samples.length - from)
      this.#hop.set(samples.subarray(from, from + count), this.#filled)
      this.#filled += count
      from += count
      if (this.#filled === hopSamples) this.#addHop()
    }
  }

  /** Returns the curve. An incomplete last hop is filled with silence. Call it once, after the last samples. */
  finish(): LevelCurve {
    if (this.#filled > 0) {
      this.#hop.fill(0, this.#filled)
      this.#addHop()
    }
    const levels = this.#levels.toArray()
    const sibilances = this.#sibilances.toArray()
    const periodicities = this.#periodicities.toArray()
    const peaks = this.#peaks.finish()
    const floors = noiseFloors(levels)
    const sibilanceFloors = noiseFloors(sibilances)
    const decibels = (steps: number | undefined) => -(steps ?? 255) / stepsPerDecibel
    return {
      hops: levels.length,
      level: (hop) => decibels(levels[hop]),
      peak: (part) => decibels(peaks[part]),
      sibilance: (hop) => decibels(sibilances[hop]),
      periodicity: (hop) => (periodicities[hop + periodicityDelay] ?? 0) / 255,
      floor: (hop) => floors[Math.floor(hop / blockHops)] ?? lowestFloor,
      sibilanceFloor: (hop) => sibilanceFloors[Math.floor(hop / blockHops)] ?? lowestFloor,
    }
  }

  #addHop(): void {
    const hop = this.#hop
    this.#peaks.add(hop)
    let [power, sibilance] = [0, 0]
    for (let at = 0; at < hopSamples; at += 1) {
      const sample = this.#rumble.filter(hop[at] ?? 0)
      const high = this.#sibilants.filter(sample)
      hop[at] = sample
      power += sample * sample
      sibilance += high * high
    }
    this.#levels.push(levelByte(power / hopSamples))
    this.#sibilances.push(levelByte(sibilance / hopSamples))
    this.#periodicities.push(Math.round(255 * Math.min(1, this.#meter.add(hop))))
    this.#filled = 0
  }
}

/** Level of a mean power as a byte: 0 is full scale, 255 is -127.5 dBFS or less. */
function levelByte(power: number): number {
  return Math.round(Math.min(255, Math.max(0, -10 * stepsPerDecibel * Math.log10(power + 1e-20))))
}

/** Noise floor of each block, dBFS: a percentile of the levels of the blocks around it. */
function noiseFloors(levels: Uint8Array): Float32Array {
  const blocks = Math.ceil(levels.length / blockHops)
  const counts = new Uint32Array(256)
  let total = 0
  const count = (block: number, by: 1 | -1) => {
    if (block < 0) return
    for (const level of levels.subarray(block * blockHops, (block + 1) * blockHops)) {
      counts[level] = (counts[level] ?? 0) + by
      total += by
    }
  }
  for (let block = 0; block < floorBlocks; block += 1) count(block, 1)
  return Float32Array.from({ length: blocks }, (_, block) => {
    count(block + floorBlocks, 1)
    count(block - floorBlocks - 1, -1)
    // The bytes ascend as levels descend: the percentile is counted from the end.
    let [steps, below] = [255, 0]
    while (steps > 0 && below + (counts[steps] ?? 0) < floorShare * total) {
      below += counts[steps] ?? 0
      steps -= 1
    }
    return Math.max(lowestFloor, -steps / stepsPerDecibel)
  })
}
