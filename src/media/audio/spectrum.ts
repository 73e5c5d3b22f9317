import FFT from 'fft.js'

/** The frequencies in a stretch of sound: a Fourier transform under a Hann window. */
export class Spectrum {
  /** Samples a stretch has; a power of two. */
  readonly size: number
  /** A Hann window lets half of a sine through, and half of that lies at the negative frequency. */
  readonly #scale: number
  readonly #fft: FFT
  readonly #window: Float64Array
  readonly #windowed: Float64Array
  readonly #bins: Float64Array
  readonly #magnitudes: Float64Array

  constructor(size: number) {
    this.size = size
    this.#scale = 4 / size
    this.#fft = new FFT(size)
    this.#window = Float64Array.from(
      { length: size },
      (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size),
    )
    this.#windowed = new Float64Array(size)
    this.#bins = new Float64Array(2 * size)
    this.#magnitudes = new Float64Array(size / 2)
  }

  /** Amplitude of each frequency, 1 for a sine of full scale; bin i is i times the sample rate by the size. Used again by the next call. */
  magnitudes(samples: Float32Array): Float64Array {
    this.analyze(samples)
    for (let bin = 0; bin < this.#magnitudes.length; bin += 1)
      this.#magnitudes[bin] = Math.sqrt(this.power(bin))
    return this.#magnitudes
  }

  /** Takes a stretch, of which `power` then tells. */
  analyze(samples: Float32Array): void {
    for (let at = 0; at < this.size; at += 1) {
      this.#windowed[at] = (samples[at] ?? 0) * (this.#window[at] ?? 0)
    }
    this.#fft.realTransform(this.#bins, this.#windowed)
  }

  /** The square of a bin's amplitude; 0 beyond the spectrum. */
  power(bin: number): number {
    if (bin >= this.size / 2) return 0
    const real = this.#scale * (this.#bins[2 * bin] ?? 0)
    const imaginary = this.#scale * (this.#bins[2 * bin + 1] ?? 0)
    return real * real + imaginary * imaginary
  }
}
