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

/**
 * Spectra of sound and sound of spectra: frames of a power of two under a periodic Hann window, a quarter apart, the
 * first at the first sample. What is turned there and back is as it was.
 */
export class Stft {
  readonly size: number
  readonly hop: number
  /** Frequencies of a frame, each a real and an imaginary number. */
  readonly bins: number
  readonly #fft: FFT
  readonly #window: Float64Array
  readonly #time: Float64Array
  readonly #complex: number[]

  constructor(size: number) {
    this.size = size
    this.hop = size / 4
    this.bins = size / 2 + 1
    this.#fft = new FFT(size)
    this.#window = Float64Array.from(
      { length: size },
      (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size),
    )
    this.#time = new Float64Array(size)
    this.#complex = this.#fft.createComplexArray()
  }

  /** Samples that so many frames are about. */
  lengthOf(frames: number): number {
    return (frames - 1) * this.hop + this.size
  }

  /** The spectra of so many frames, one after another; what is missing of the sound is silence. */
  forward(sound: Float32Array, frames: number): Float32Array {
    const width = 2 * this.bins
    const spectra = new Float32Array(frames * width)
    const bins = this.#fft.createComplexArray()
    for (let frame = 0; frame < frames; frame += 1) {
      const begin = frame * this.hop
      for (let at = 0; at < this.size; at += 1)
        this.#time[at] = (sound[begin + at] ?? 0) * (this.#window[at] ?? 0)
      this.#fft.realTransform(bins, this.#time)
      for (let at = 0; at < width; at += 1) spectra[frame * width + at] = bins[at] ?? 0
    }
    return spectra
  }

  /** The sound of spectra. */
  inverse(spectra: Float32Array, frames: number): Float32Array {
    const width = 2 * this.bins
    const sound = new Float32Array(this.lengthOf(frames))
    const weights = new Float32Array(sound.length)
    const bins = this.#fft.createComplexArray()
    for (let frame = 0; frame < frames; frame += 1) {
      for (let at = 0; at < width; at += 1) bins[at] = spectra[frame * width + at] ?? 0
      this.#fft.completeSpectrum(bins)
      this.#fft.inverseTransform(this.#complex, bins)
      const begin = frame * this.hop
      for (let at = 0; at < this.size; at += 1) {
        const weight = this.#window[at] ?? 0
        sound[begin + at] = (sound[begin + at] ?? 0) + (this.#complex[2 * at] ?? 0) * weight
        weights[begin + at] = (weights[begin + at] ?? 0) + weight * weight
      }
    }
    // At the ends no window reaches: there is next to nothing to divide.
    for (const [at, weight] of weights.entries()) sound[at] = weight > 1e-6 ? (sound[at] ?? 0) / weight : 0
    return sound
  }
}
