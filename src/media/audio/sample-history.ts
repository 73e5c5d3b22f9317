/** Samples a second that all analysis works with. */
export const analysisSampleRate = 48_000

/** Samples from one look at the sound to the next: 120 looks a second, which 30, 40 and 60 frames a second divide. */
export const hopSamples = 400

/** Seconds from one look to the next. */
export const hopSeconds = hopSamples / analysisSampleRate

/** Cuts two-channel sound that arrives in pieces of any size into hops; a last incomplete one is kept back. */
export class HopSplitter {
  readonly #piece = new Float32Array(2 * hopSamples)
  #filled = 0;

  /** The hops that this piece completes; each is used again for the next. */
  *split(samples: Float32Array): Generator<Float32Array> {
    let at = 0
    while (at < samples.length) {
      const count = Math.min(this.#piece.length - this.#filled, samples.length - at)
      this.#piece.set(samples.subarray(at, at + count), this.#filled)
      this.#filled += count
      at += count
      if (this.#filled < this.#piece.length) return
      this.#filled = 0
      yield this.#piece
    }
  }
}

/** The latest samples of two channels. */
export class SampleHistory {
  readonly left: Float32Array
  readonly right: Float32Array

  constructor(length: number) {
    this.left = new Float32Array(length)
    this.right = new Float32Array(length)
  }

  /** Adds a hop at the end; as much goes at the beginning. */
  push(samples: Float32Array): void {
    const kept = this.left.length - hopSamples
    this.left.copyWithin(0, hopSamples)
    this.right.copyWithin(0, hopSamples)
    for (let at = 0; at < hopSamples; at += 1) {
      this.left[kept + at] = samples[2 * at] ?? 0
      this.right[kept + at] = samples[2 * at + 1] ?? 0
    }
  }

  /** Writes the mean of both channels from a place on into `mono`, as long as that is. */
  mix(from: number, mono: Float32Array): void {
    for (let at = 0; at < mono.length; at += 1) {
      mono[at] = ((this.left[from + at] ?? 0) + (this.right[from + at] ?? 0)) / 2
    }
  }
}
