import FFT from 'fft.js'

/** Spectrum of a block of samples: FFT under a Hann window. */
export class Spectrum {
  /** Samples per block; a power of two. */
  readonly size: number
  /** Compensates the gain of the Hann window (1/2) and the negative frequencies (1/2). */
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

  /** Amplitude per bin, 1 for a full-scale sine; bin i is at i x sample rate / size. The array is reused. */
  magnitudes(samples: Float32Array): Float64Array {
    this.analyze(samples)
    for (let bin = 0; bin < this.#magnitudes.length; bin += 1)
      this.#magnitudes[bin] = Math.sqrt(this.power(bin))
    return this.#magnitudes
  }

  /** Transforms a block, for `power`. */
  analyze(samples: Float32Array): void {
    for (let at = 0; at < this.size; at += 1) {
      this.#windowed[at] = (samples[at] ?? 0) * (this.#window[at] ?? 0)
    }
    this.#fft.realTransform(this.#bins, this.#windowed)
  }

  /** Squared amplitude of a bin; 0 beyond the spectrum. */
  power(bin: number): number {
    if (bin >= this.size / 2) return 0
    const real = this.#scale * (this.#bins[2 * bin] ?? 0)
    const imaginary = this.#scale * (this.#bins[2 * bin + 1] ?? 0)
    return real * real + imaginary * imaginary
  }
}

/**
 * Short-time Fourier transform and its inverse: periodic Hann window of a power-of-two size, hop of a quarter, first
 * frame at the first sample. The round trip reproduces the input.
 */
export class Stft {
  readonly size: number
  readonly hop: number
  /** Complex bins per frame, as pairs of real and imaginary parts. */
  readonly bins: number
  readonly #fft: FFT
  readonly #window: Float64Array
  readonly #time: Float64Array
  /** Spectrum of one frame, and the frame's complex samples. */
  readonly #bins: Float64Array
  readonly #complex: Float64Array
  /** Sum of the squared windows at each sample, of the last number of frames of `inverse`. */
  #weights = new Float32Array(0)

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
    this.#bins = new Float64Array(2 * size)
    this.#complex = new Float64Array(2 * size)
  }

  /** Number of samples covered by `frames` frames. */
  lengthOf(frames: number): number {
    return (frames - 1) * this.hop + this.size
  }

  /** Writes the spectra of all frames that `spectra` has space for, concatenated. The sound is padded with silence. */
  forward(sound: Float32Array, spectra: Float32Array): void {
    const width = 2 * this.bins
    const frames = spectra.length / width
    for (let frame = 0; frame < frames; frame += 1) {
      const begin = frame * this.hop
      for (let at = 0; at < this.size; at += 1)
        this.#time[at] = (sound[begin + at] ?? 0) * (this.#window[at] ?? 0)
      this.#fft.realTransform(this.#bins, this.#time)
      spectra.set(this.#bins.subarray(0, width), frame * width)
    }
  }

  /** Sound of concatenated spectra, by overlap-add. */
  inverse(spectra: Float32Array): Float32Array {
    const width = 2 * this.bins
    const frames = spectra.length / width
    const sound = new Float32Array(this.lengthOf(frames))
    const weights = this.#weightsOf(frames)
    for (let frame = 0; frame < frames; frame += 1) {
      this.#bins.set(spectra.subarray(frame * width, (frame + 1) * width))
      this.#fft.completeSpectrum(this.#bins)
      this.#fft.inverseTransform(this.#complex, this.#bins)
      const begin = frame * this.hop
      for (let at = 0; at < this.size; at += 1) {
        const windowed = (this.#complex[2 * at] ?? 0) * (this.#window[at] ?? 0)
        sound[begin + at] = (sound[begin + at] ?? 0) + windowed
      }
    }
    for (let at = 0; at < sound.length; at += 1) {
      const weight = weights[at] ?? 0
      // At both ends the window is nearly zero: avoid the division.
      sound[at] = weight > 1e-6 ? (sound[at] ?? 0) / weight : 0
    }
    return sound
  }

  #weightsOf(frames: number): Float32Array {
    const length = this.lengthOf(frames)
    if (this.#weights.length === length) return this.#weights
    const weights = new Float32Array(length)
    for (let frame = 0; frame < frames; frame += 1) {
      const begin = frame * this.hop
      for (let at = 0; at < this.size; at += 1)
        weights[begin + at] = (weights[begin + at] ?? 0) + (this.#window[at] ?? 0) ** 2
    }
    this.#weights = weights
    return weights
  }
}
