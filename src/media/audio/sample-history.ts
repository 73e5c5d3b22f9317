/** Sample rate of the analysis, Hz. */
export const analysisSampleRate = 48_000

/** Samples per hop: 120 hops a second, a multiple of 30, 40 and 60 frames a second. */
export const hopSamples = 400

/** Seconds per hop. */
export const hopSeconds = hopSamples / analysisSampleRate

/** The latest samples of both channels. */
export class SampleHistory {
  readonly left: Float32Array
  readonly right: Float32Array

  constructor(length: number) {
    this.left = new Float32Array(length)
    this.right = new Float32Array(length)
  }

  /** Appends a hop and drops the oldest one. */
  push(samples: Float32Array): void {
    const kept = this.left.length - hopSamples
    this.left.copyWithin(0, hopSamples)
    this.right.copyWithin(0, hopSamples)
    for (let at = 0; at < hopSamples; at += 1) {
      this.left[kept + at] = samples[2 * at] ?? 0
      this.right[kept + at] = samples[2 * at + 1] ?? 0
    }
  }

  /** Fills `mono` with the mean of both channels, from sample `from` on. */
  mix(from: number, mono: Float32Array): void {
    for (let at = 0; at < mono.length; at += 1) {
      mono[at] = ((this.left[from + at] ?? 0) + (this.right[from + at] ?? 0)) / 2
    }
  }
}
