import { describe, expect, it } from 'vitest'
import { clapBands, ClapFeatures, clapFrames, clapSamples } from './clap-features.ts'

const features = new ClapFeatures()

/** Tones, a sweep and noise (linear congruential generator). */
function testSound(length: number): Float32Array {
  let state = 11
  return Float32Array.from({ length }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const noise = (state / 2 ** 31 - 1) * 0.02
    return 0.4 * Math.sin(at / 7) + 0.3 * Math.sin((at * at) / 4e6) + 0.1 * Math.sin(at / 0.9) + noise
  })
}

/** Mel of a frequency, and back: 200/3 Hz each up to 1 kHz, then 27 for each factor of 6.4 (Slaney 1998). */
const toMel = (hertz: number) =>
  hertz < 1000 ? (3 * hertz) / 200 : 15 + (27 * Math.log(hertz / 1000)) / Math.log(6.4)
const toHertz = (mel: number) => (mel < 15 ? (200 * mel) / 3 : 1000 * 6.4 ** ((mel - 15) / 27))

/** Cosines of a whole turn in 1024 steps. */
const cosines = Float64Array.from({ length: 1024 }, (_, step) => Math.cos((2 * Math.PI * step) / 1024))
const cosine = (step: number) => cosines[step % 1024] ?? Number.NaN

/** Level of a band in dB around a sample, by the definition of the Fourier transform. sound: 10 s. */
function directLevel(sound: Float32Array, centre: number, band: number): number {
  const [low, middle, high] = [0, 1, 2].map((more) =>
    toHertz(toMel(50) + ((toMel(14_000) - toMel(50)) * (band + more)) / 65),
  ) as [number, number, number]
  let energy = 0
  for (let bin = 0; bin <= 512; bin += 1) {
    const hertz = (bin * 48_000) / 1024
    if (hertz <= low || hertz >= high) continue
    let [real, imaginary] = [0, 0]
    for (let at = 0; at < 1024; at += 1) {
      const place = Math.abs(centre - 512 + at)
      const sample = sound[place < 480_000 ? place : 959_998 - place] ?? Number.NaN
      const weighted = sample * (0.5 - 0.5 * cosine(at))
      real += weighted * cosine(bin * at)
      // A quarter of a turn back is a sine.
      imaginary += weighted * cosine(bin * at + 768)
    }
    const height = hertz < middle ? (hertz - low) / (middle - low) : (high - hertz) / (high - middle)
    energy += ((2 * height) / (high - low)) * (real ** 2 + imaginary ** 2)
  }
  return 10 * Math.log10(Math.max(1e-10, energy))
}

const frame = (all: Float32Array, index: number) => all.subarray(index * clapBands, (index + 1) * clapBands)

describe("CLAP's features", () => {
  it('are within 0.001 dB of a direct computation, in 1001 frames of 64 bands', () => {
    const sound = testSound(clapSamples)
    const computed = features.compute(sound)
    expect([clapFrames, computed.length]).toEqual([1001, 64_064])
    // Both ends are mirrored.
    for (const index of [0, 1, 333, 999, 1000]) {
      for (const [band, level] of frame(computed, index).entries())
        expect(Math.abs(level - directLevel(sound, 480 * index, band))).toBeLessThan(1e-3)
    }
  })

  it('of silence and of no sound are -100 dB', () => {
    for (const length of [0, 1000, clapSamples])
      expect(new Set(features.compute(new Float32Array(length)))).toEqual(new Set([-100]))
  })

  it('of a shorter sound are those of its whole repetitions and silence', () => {
    const short = testSound(100_000)
    const whole = new Float32Array(clapSamples)
    for (const at of [0, 100_000, 200_000, 300_000]) whole.set(short, at)
    expect(features.compute(short)).toEqual(features.compute(whole))
    expect(frame(features.compute(short), 900)).toEqual(new Float32Array(clapBands).fill(-100))
  })
})
