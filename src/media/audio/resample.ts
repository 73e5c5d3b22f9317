import { greatestCommonDivisor } from '../frame-rate.ts'
import type { MonoAudio } from '../speech/speech-types.ts'

/** Zero crossings of the filter on both sides together, at the lower of both rates. */
const filterSize = 32

/** Passband, as a share of half the lower rate, 0 to 1. */
const passband = 0.97

/** Shape of the Kaiser window: its stopband is about 90 dB below the passband. */
const kaiserBeta = 9

/**
 * Resamples mono sound to `targetRate`, Hz, with a windowed sinc filter (Kaiser window; Smith, "Digital Audio Resampling",
 * 2002). The filter has the size and shape of ffmpeg's default resampler, and both ends of the sound are mirrored as
 * there, so that results differ by rounding only. Returns the samples of the sound's duration, rounded up.
 */
export function resample({ samples, rate }: MonoAudio, targetRate: number): Float32Array<ArrayBuffer> {
  if (rate === targetRate || samples.length === 0) return new Float32Array(samples)
  const divisor = greatestCommonDivisor(rate, targetRate)
  // Output sample n is at n * step / phases input samples.
  const [phases, step] = [targetRate / divisor, rate / divisor]
  const factor = Math.min(1, (targetRate * passband) / rate)
  const filters = Array.from({ length: phases }, (_, phase) => sincFilter(phase / phases, factor))
  const padded = mirrorEnds(samples, Math.ceil(filterSize / factor))
  const resampled = new Float32Array(Math.ceil((samples.length * phases) / step))
  for (let at = 0; at < resampled.length; at += 1) {
    const filter = filters[(at * step) % phases]
    if (filter) resampled[at] = weightedSum(padded, Math.floor((at * step) / phases), filter)
  }
  return resampled
}

/** Returns the sum of samples from `first` on, each multiplied by its weight. */
function weightedSum(samples: Float32Array, first: number, weights: Float32Array): number {
  let sum = 0
  for (let at = 0; at < weights.length; at += 1) sum += (samples[first + at] ?? 0) * (weights[at] ?? 0)
  return sum
}

/** Returns sound extended for a filter that is centred at its middle: mirrored at its first sample and after its last one. */
function mirrorEnds(samples: Float32Array, taps: number): Float32Array {
  const before = centreOf(taps)
  const { length } = samples
  const padded = new Float32Array(length + taps)
  padded.set(samples, before)
  for (let distance = 1; distance <= before; distance += 1)
    padded[before - distance] = samples[Math.min(distance, length - 1)] ?? 0
  for (let at = before + length; at < padded.length; at += 1)
    padded[at] = samples[Math.max(0, 2 * length - 1 - (at - before))] ?? 0
  return padded
}

/** Index of the middle weight of a filter, the earlier one of two. */
function centreOf(taps: number): number {
  return Math.floor((taps - 1) / 2)
}

/**
 * Returns the weights of the filter for a position between two samples. Their sum is 1.
 *
 * @param fraction position after the earlier of both samples, 0 to 1
 * @param factor cutoff frequency as a share of half the rate of the input, 0 to 1
 */
function sincFilter(fraction: number, factor: number): Float32Array {
  const taps = Math.ceil(filterSize / factor)
  const weights = Float64Array.from({ length: taps }, (_, tap) => {
    const x = Math.PI * (tap - centreOf(taps) - fraction) * factor
    const edge = (2 * x) / (Math.PI * factor * taps)
    return (x === 0 ? 1 : Math.sin(x) / x) * bessel(kaiserBeta * Math.sqrt(Math.max(0, 1 - edge ** 2)))
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return Float32Array.from(weights, (weight) => weight / sum)
}

/** Modified Bessel function of the first kind and order 0, by its power series. */
function bessel(x: number): number {
  let [term, sum] = [1, 1]
  for (let index = 1; term > 1e-12 * sum; index += 1) {
    term *= (x / (2 * index)) ** 2
    sum += term
  }
  return sum
}
