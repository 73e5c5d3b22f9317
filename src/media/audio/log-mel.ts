import FFT from 'fft.js'
import { melBands } from './mel-filters.ts'

/** Input of Whisper: 30 s at 16 kHz, frames of 25 ms every 10 ms. */
export const whisperSamples = 480_000
const windowLength = 400
const hopLength = 160
export const whisperFrames = whisperSamples / hopLength
const whisperRate = 16_000
const halfBins = windowLength / 2 + 1

/** Energies below this count as silence. */
const leastEnergy = 1e-10

/** Mel bands of Whisper's models, which have 80 or 128. */
export function whisperBands(bands: number) {
  return { bands, rate: whisperRate, size: windowLength, lowest: 0, highest: whisperRate / 2 }
}

/**
 * Log-mel spectrogram for Whisper of the first 30 s of mono sound at 16 kHz, padded with silence. Layout: band, then
 * 3000 frames. Values are log10 energies, clipped 8 below the maximum and scaled to about -1 to 1.5.
 */
export function whisperFeatures(sound: Float32Array, bands: number): Float32Array {
  const energyOf = melBands(whisperBands(bands))
  const power = new PowerSpectrum()
  const features = new Float32Array(bands * whisperFrames).fill(Math.log10(leastEnergy))
  // Later frames contain only the silence after the sound.
  const frames = Math.min(whisperFrames, Math.ceil((sound.length + windowLength / 2) / hopLength))
  let highest = -Infinity
  for (let frame = 0; frame < frames; frame += 1) {
    const energies = power.of(sound, frame * hopLength - windowLength / 2)
    for (let band = 0; band < bands; band += 1) {
      const value = Math.log10(
        Math.max(
          energyOf(band, (bin) => energies[bin] ?? 0),
          leastEnergy,
        ),
      )
      highest = Math.max(highest, value)
      features[band * whisperFrames + frame] = value
    }
  }
  return features.map((value) => (Math.max(value, highest - 8) + 4) / 4)
}

/** Power spectrum of 400 samples under a Hann window, by Bluestein's algorithm, as 400 is not a power of two. */
class PowerSpectrum {
  readonly #fft = new FFT(1024)
  readonly #window = Float64Array.from(
    { length: windowLength },
    (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / windowLength),
  )
  /** exp(-i pi n² / 400), with n² modulo 800, its period. */
  readonly #chirp = Float64Array.from({ length: 2 * windowLength }, (_, at) => {
    const angle = (-Math.PI * (((at >> 1) * (at >> 1)) % (2 * windowLength))) / windowLength
    return at % 2 === 0 ? Math.cos(angle) : Math.sin(angle)
  })
  readonly #kernel = this.#fft.createComplexArray()
  readonly #from = this.#fft.createComplexArray()
  readonly #to = this.#fft.createComplexArray()
  readonly #energies = new Float64Array(halfBins)

  constructor() {
    const values = this.#fft.createComplexArray().fill(0)
    for (let at = 0; at < windowLength; at += 1) {
      for (const place of new Set([at, (1024 - at) % 1024])) {
        values[2 * place] = this.#chirp[2 * at] ?? 0
        values[2 * place + 1] = -(this.#chirp[2 * at + 1] ?? 0)
      }
    }
    this.#fft.transform(this.#kernel, values)
  }

  /** Returns 201 energies in a reused array. Samples outside the 30 s are mirrored at their ends. */
  of(sound: Float32Array, begin: number): Float64Array {
    const [from, to, chirp] = [this.#from.fill(0), this.#to, this.#chirp]
    for (let at = 0; at < windowLength; at += 1) {
      const place = Math.abs(begin + at)
      const mirrored = place < whisperSamples ? place : 2 * (whisperSamples - 1) - place
      const sample = (sound[mirrored] ?? 0) * (this.#window[at] ?? 0)
      from[2 * at] = sample * (chirp[2 * at] ?? 0)
      from[2 * at + 1] = sample * (chirp[2 * at + 1] ?? 0)
    }
    this.#fft.transform(to, from)
    for (let at = 0; at < 2048; at += 2) {
      const [a = 0, b = 0, c = 0, d = 0] = [to[at], to[at + 1], this.#kernel[at], this.#kernel[at + 1]]
      to[at] = a * c - b * d
      to[at + 1] = a * d + b * c
    }
    this.#fft.inverseTransform(from, to)
    for (let bin = 0; bin < halfBins; bin += 1) {
      // The final chirp factor changes the phase only.
      this.#energies[bin] = (from[2 * bin] ?? 0) ** 2 + (from[2 * bin + 1] ?? 0) ** 2
    }
    return this.#energies
  }
}
