/** How much finer peaks between samples are looked for, and samples that are looked at for one (ITU-R BS.1770, annex 2). */
const oversampling = 4
const taps = 32

/** For each place between two samples the weights of those around it: a windowed sinc. */
const interpolationPhases = Array.from({ length: oversampling }, (_, phase) => {
  const weights = Float64Array.from({ length: taps }, (__, tap) => {
    const x = tap - (taps / 2 - 1) - phase / oversampling
    const window = Math.cos((Math.PI * x) / taps) ** 2
    return window * (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
})

/** Finds the highest peak of stereo sound, between samples too. */
export class TruePeakMeter {
  readonly #latest = [new Float64Array(2 * taps), new Float64Array(2 * taps)] as const
  #at = 0
  #peak = 0

  /** Takes samples, left and right in turn. */
  push(samples: Float32Array): void {
    for (let at = 0; at + 1 < samples.length; at += 2) {
      for (const [side, latest] of this.#latest.entries()) {
        const sample = samples[at + side] ?? 0
        // Written twice, so that the latest ones always lie in a row.
        latest[this.#at] = sample
        latest[this.#at + taps] = sample
      }
      this.#at = (this.#at + 1) % taps
      for (const latest of this.#latest) this.#look(latest)
    }
  }

  /** The peak, of 1. */
  finish(): number {
    this.push(new Float32Array(2 * taps))
    return this.#peak
  }

  #look(latest: Float64Array): void {
    const near = Math.max(
      Math.abs(latest[this.#at + taps / 2 - 1] ?? 0),
      Math.abs(latest[this.#at + taps / 2] ?? 0),
    )
    // Between two samples it is seldom twice as high as the higher one, and never where both are far below the peak.
    if (2 * near < this.#peak) return
    for (const weights of interpolationPhases) {
      let sum = 0
      for (let tap = 0; tap < taps; tap += 1) sum += (weights[tap] ?? 0) * (latest[this.#at + tap] ?? 0)
      this.#peak = Math.max(this.#peak, Math.abs(sum))
    }
  }
}
