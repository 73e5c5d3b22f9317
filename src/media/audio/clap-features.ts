import { melBands } from './mel-filters.ts'
import { Spectrum } from './spectrum.ts'

/** Input of CLAP: 10 s of mono sound at 48 kHz, as blocks of 1024 samples every 480, in 64 bands of 50 to 14,000 Hz. */
export const clapRate = 48_000
export const clapSamples = 10 * clapRate
const blockLength = 1024
const hopLength = 480
export const clapBands = 64
export const clapFrames = clapSamples / hopLength + 1

const layout = { bands: clapBands, rate: clapRate, size: blockLength, lowest: 50, highest: 14_000 }

/** Converts a squared amplitude of `Spectrum` to the squared modulus of the transform. */
const powerScale = (blockLength / 4) ** 2

/** Lowest energy, of -100 dB. */
const leastEnergy = 1e-10

/** Bands and spectrum of all sounds of a model. They are reused: one call at a time. */
export class ClapFeatures {
  readonly #energyOf = melBands(layout)
  readonly #spectrum = new Spectrum(blockLength)
  readonly #block = new Float32Array(blockLength)

  /**
   * Log-mel spectrogram in dB of up to 10 s of mono sound at 48 kHz, -1 to 1. Layout: 1001 frames, each of 64 bands. The
   * first block is centred on the first sample, and the sound is mirrored at both ends. As the model was trained: shorter
   * sound is repeated while it fits whole, then padded with silence.
   */
  compute(sound: Float32Array): Float32Array {
    const whole = repeated(sound)
    const features = new Float32Array(clapFrames * clapBands)
    const power = (bin: number) => this.#spectrum.power(bin) * powerScale
    for (let frame = 0; frame < clapFrames; frame += 1) {
      const from = frame * hopLength - blockLength / 2
      for (let at = 0; at < blockLength; at += 1) this.#block[at] = whole[mirrored(from + at)] ?? 0
      this.#spectrum.analyze(this.#block)
      for (let band = 0; band < clapBands; band += 1)
        features[frame * clapBands + band] =
          10 * Math.log10(Math.max(this.#energyOf(band, power), leastEnergy))
    }
    return features
  }
}

function mirrored(at: number): number {
  const positive = Math.abs(at)
  return positive < clapSamples ? positive : 2 * (clapSamples - 1) - positive
}

function repeated(sound: Float32Array): Float32Array {
  if (sound.length === clapSamples) return sound
  const whole = new Float32Array(clapSamples)
  for (let at = 0; sound.length > 0 && at + sound.length <= clapSamples; at += sound.length)
    whole.set(sound, at)
  return whole
}
