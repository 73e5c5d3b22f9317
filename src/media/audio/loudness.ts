/** Sample rate of the input, Hz. */
const measuredRate = 48_000

/** Blocks of 400 ms start every 100 ms. */
const stepSamples = measuredRate / 10
const blockSteps = 4

/** Absolute gate, LUFS, and gate relative to the mean of the remaining blocks, LU. */
const absoluteGate = -70
const relativeGate = -10

/** K-weighting at 48 kHz: a high shelf, then a high-pass (ITU-R BS.1770, tables 1 and 2). */
const shelf = {
  b: [1.535_124_859_586_97, -2.691_696_189_406_38, 1.198_392_810_852_85],
  a: [-1.690_659_293_182_41, 0.732_480_774_215_85],
} as const
const highPass = { b: [1, -2, 1], a: [-1.990_047_454_833_98, 0.990_072_250_366_21] } as const

/** Measures the integrated loudness of stereo at 48 kHz (ITU-R BS.1770, EBU R128). */
export class LoudnessMeter {
  readonly #filters = [0, 1].map(() => [new Biquad(shelf), new Biquad(highPass)] as const)
  /** Mean energy of each 100 ms. */
  readonly #energies: number[] = []
  #energy = 0
  #filled = 0

  /** Adds interleaved stereo samples, -1 to 1 at 48 kHz. */
  push(samples: Float32Array): void {
    for (let at = 0; at + 1 < samples.length; at += 2) {
      for (const [side, [first, second]] of this.#filters.entries()) {
        const weighted = second.run(first.run(samples[at + side] ?? 0))
        this.#energy += weighted * weighted
      }
      this.#filled += 1
      if (this.#filled === stepSamples) this.#closeStep()
    }
  }

  /** Integrated loudness, LUFS; ungated if no block passes the absolute gate. Undefined for silence. */
  finish(): number | undefined {
    if (this.#filled > 0) this.#closeStep()
    while (this.#energies.length < blockSteps) this.#energies.push(0)
    const blocks = this.#energies
      .slice(blockSteps - 1)
      .map((_, at) => meanEnergy(this.#energies.slice(at, at + blockSteps)))
    const audible = blocks.filter((energy) => energyToLufs(energy) > absoluteGate)
    if (audible.length === 0) return meanEnergy(blocks) > 0 ? energyToLufs(meanEnergy(blocks)) : undefined
    const gate = energyToLufs(meanEnergy(audible)) + relativeGate
    return energyToLufs(meanEnergy(audible.filter((energy) => energyToLufs(energy) > gate)))
  }

  #closeStep(): void {
    this.#energies.push(this.#energy / stepSamples)
    this.#energy = 0
    this.#filled = 0
  }
}

function meanEnergy(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function energyToLufs(energy: number): number {
  return -0.691 + 10 * Math.log10(energy)
}

/** Second-order IIR filter, transposed direct form II. */
class Biquad {
  readonly #b: readonly [number, number, number]
  readonly #a: readonly [number, number]
  #first = 0
  #second = 0

  constructor({
    b,
    a,
  }: {
    readonly b: readonly [number, number, number]
    readonly a: readonly [number, number]
  }) {
    this.#b = b
    this.#a = a
  }

  run(sample: number): number {
    const out = this.#b[0] * sample + this.#first
    this.#first = this.#b[1] * sample - this.#a[0] * out + this.#second
    this.#second = this.#b[2] * sample - this.#a[1] * out
    return out
  }
}

/** Oversampling factor (ITU-R BS.1770, annex 2), and taps of the interpolation filter. */
const oversampling = 4
const taps = 32

/** Interpolation filter per phase: a windowed sinc. */
const interpolationPhases = Array.from({ length: oversampling }, (_, phase) => {
  const weights = Float64Array.from({ length: taps }, (__, tap) => {
    const x = tap - (taps / 2 - 1) - phase / oversampling
    const window = Math.cos((Math.PI * x) / taps) ** 2
    return window * (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
})

/** Measures the true peak of stereo sound, including peaks between samples. */
export class TruePeakMeter {
  readonly #latest = [new Float64Array(2 * taps), new Float64Array(2 * taps)] as const
  #at = 0
  #peak = 0

  /** Adds interleaved stereo samples, -1 to 1 at 48 kHz. */
  push(samples: Float32Array): void {
    for (let at = 0; at + 1 < samples.length; at += 2) {
      for (const [side, latest] of this.#latest.entries()) {
        const sample = samples[at + side] ?? 0
        // Written twice, so that the latest samples are always contiguous.
        latest[this.#at] = sample
        latest[this.#at + taps] = sample
      }
      this.#at = (this.#at + 1) % taps
      for (const latest of this.#latest) this.#updatePeak(latest)
    }
  }

  /** True peak, linear; 1 is full scale. */
  finish(): number {
    this.push(new Float32Array(2 * taps))
    return this.#peak
  }

  #updatePeak(latest: Float64Array): void {
    const near = Math.max(
      Math.abs(latest[this.#at + taps / 2 - 1] ?? 0),
      Math.abs(latest[this.#at + taps / 2] ?? 0),
    )
    // Shortcut: a peak between two samples is practically never twice as high as the higher sample.
    if (2 * near < this.#peak) return
    for (const weights of interpolationPhases) {
      let sum = 0
      for (let tap = 0; tap < taps; tap += 1) sum += (weights[tap] ?? 0) * (latest[this.#at + tap] ?? 0)
      this.#peak = Math.max(this.#peak, Math.abs(sum))
    }
  }
}
