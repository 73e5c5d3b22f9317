import { speechRate } from '../../src/media/speech/speech-types.ts'

/** Samples per step of an envelope (10 ms), and its steps per comparison of the first search (50 ms). */
const stepSamples = 160
const stride = 5

/** Least correlation of envelopes and of samples, -1 to 1, of sound that is the same. */
const minEnvelopeLikeness = 0.6
const minLikeness = 0.5

/** Least correlation of equal samples: room tone alone makes another take of the same speech less alike. */
const equalLikeness = 0.99999

/** Every third sample is compared, over at most so many seconds, and candidates of the first search. */
const sampleStride = 3
const comparedSeconds = 0.4
const maxCandidates = 6

/**
 * Returns a function that finds a sound, mono, 16 kHz, within a recording: its start in seconds, exact to the sample, or
 * null. Loudness does not matter.
 */
export function soundFinder(recording: Float32Array): (sound: Float32Array) => number | null {
  const whole = envelope(recording)
  return (sound) => {
    if (sound.length < stepSamples * stride) return null
    const part = envelope(sound)
    let best: { start: number; likeness: number } | undefined
    for (const step of candidateSteps(whole, part)) {
      const found = refine(recording, sound, step * stepSamples)
      if (!best || found.likeness > best.likeness) best = found
      if (best.likeness > equalLikeness) break
    }
    return best && best.likeness >= minLikeness ? best.start / speechRate : null
  }
}

/** Level of each 10 ms, dB. */
function envelope(samples: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.ceil(samples.length / stepSamples) }, (_, step) => {
    let power = 0
    for (const sample of samples.subarray(step * stepSamples, (step + 1) * stepSamples))
      power += sample * sample
    return 10 * Math.log10(power / stepSamples + 1e-7)
  })
}

/** Steps of the recording at which the envelope of a sound fits best, within a step; the best first. */
function candidateSteps(whole: Float32Array, part: Float32Array): number[] {
  const scores: { step: number; score: number }[] = []
  for (let step = -stride; step <= whole.length - part.length + stride; step += 1)
    scores.push({ step, score: correlation({ whole, from: step }, part, stride) })
  const chosen: number[] = []
  for (const { step, score } of scores.toSorted((one, other) => other.score - one.score)) {
    if (score < minEnvelopeLikeness || chosen.length === maxCandidates) break
    if (chosen.every((other) => Math.abs(other - step) > 2)) chosen.push(step)
  }
  return chosen
}

/** Best start near a sample by the loudest 0.4 s of a sound, and its correlation. */
function refine(
  recording: Float32Array,
  sound: Float32Array,
  near: number,
): { start: number; likeness: number } {
  const length = Math.min(sound.length, comparedSeconds * speechRate)
  const from = loudest(sound, length)
  const part = sound.subarray(from, from + length)
  let best = { start: near, likeness: -1 }
  for (let start = near - 2 * stepSamples; start <= near + 2 * stepSamples; start += 1) {
    const likeness = correlation({ whole: recording, from: start + from }, part, sampleStride)
    if (likeness > best.likeness) best = { start, likeness }
  }
  return best
}

/** Start of the loudest part of a length, in steps of half of it. */
function loudest(sound: Float32Array, length: number): number {
  let [best, highest] = [0, -1]
  for (let from = 0; from + length <= sound.length; from += Math.max(1, length >> 1)) {
    let power = 0
    for (const sample of sound.subarray(from, from + length)) power += sample * sample
    if (power > highest) [best, highest] = [from, power]
  }
  return best
}

/** Normalised correlation of a part with a whole from an index, every `step` values; -1 to 1. What is beyond the whole's ends does not count. */
export function correlation(
  { whole, from }: { readonly whole: Float32Array; readonly from: number },
  part: Float32Array,
  step: number,
): number {
  let sumOne = 0
  let sumOther = 0
  let squaresOne = 0
  let squaresOther = 0
  let products = 0
  const first = from < 0 ? Math.ceil(-from / step) * step : 0
  const end = Math.min(part.length, whole.length - from)
  // Plain reads within both arrays: this loop is most of the work.
  for (let at = first; at < end; at += step) {
    const one = whole[from + at] ?? 0
    const other = part[at] ?? 0
    sumOne += one
    sumOther += other
    squaresOne += one * one
    squaresOther += other * other
    products += one * other
  }
  const count = Math.max(1, Math.ceil((end - first) / step))
  const variances = (squaresOne - (sumOne * sumOne) / count) * (squaresOther - (sumOther * sumOther) / count)
  return variances > 0 ? (products - (sumOne * sumOther) / count) / Math.sqrt(variances) : 0
}
