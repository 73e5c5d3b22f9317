import { partialCount, type PianoFrame, type RecentFrames, silenceDb } from './frames.ts'
import { keyCount } from './note.ts'
import { onsetWeights } from './onset-weights.ts'

/** Estimate for one onset candidate of one key. */
export interface OnsetEstimate {
  /** Probability that the key was struck, 0 to 1. */
  readonly probability: number
  /** MIDI velocity as a real number; neither rounded nor clamped to 1 to 127. */
  readonly velocity: number
}

/** Weights of a network with one tanh layer and two outputs, fitted on generated pieces (bench/piano-fit.ts). */
export interface OnsetWeights {
  readonly inputs: number
  readonly neurons: number
  /** Per neuron: bias, then one weight per input. */
  readonly hidden: Float32Array
  /** Per output (logit, velocity): bias, then one weight per neuron. */
  readonly output: Float32Array
}

/** Estimates probability and velocity of an onset from the vector that `onsetFeatures` returns. */
export function classifyOnset(
  features: Float64Array,
  { inputs, neurons, hidden, output }: OnsetWeights = onsetWeights,
): OnsetEstimate {
  let [logit, velocity] = [output[0] ?? 0, output[neurons + 1] ?? 0]
  for (let neuron = 0; neuron < neurons; neuron += 1) {
    const from = neuron * (inputs + 1)
    let sum = hidden[from] ?? 0
    for (let at = 0; at < inputs; at += 1) sum += (hidden[from + 1 + at] ?? 0) * (features[at] ?? 0)
    const activation = Math.tanh(sum)
    logit += (output[1 + neuron] ?? 0) * activation
    velocity += (output[neurons + 2 + neuron] ?? 0) * activation
  }
  return {
    probability: 1 / (1 + Math.exp(-logit)),
    velocity: velocityScale.middle + velocityScale.span * velocity,
  }
}

/** The velocity output is scaled: velocity = middle + span x output. */
export const velocityScale = { middle: 64, span: 32 } as const

/** Frames that `onsetFeatures` reads before the onset. */
const featureLookBack = 16

/** Frames that `onsetFeatures` reads after the onset: 0.26 s. */
export const featureLookAhead = 22

/** Distances in semitones of keys that are easily confused: neighbours, octaves, and keys that share partials. */
const relatedKeys = [-1, 1, -12, 12, -19, 19, -24, 24, -7, 7, -28, -31] as const

/**
 * Feature vector that separates a struck key from its look-alikes: 51 values around 0, seldom beyond 1. `at` is the
 * frame of the onset, `key` counts from 0 (A0). Reads frames `at - 16` to `at + 22`.
 */
export function onsetFeatures(frames: RecentFrames, at: number, key: number): Float64Array {
  const one = (frame: number) => frames.at(frame)
  const maxOver = (field: 'onsets' | 'sounding', of: number, [from, to]: readonly [number, number]) => {
    if (of < 0 || of >= keyCount) return 0
    let best = 0
    for (let frame = at + from; frame <= at + to; frame += 1)
      best = Math.max(best, one(frame)[field][of] ?? 0)
    return best
  }
  const meanOver = (field: 'onsets' | 'sounding', of: number, [from, to]: readonly [number, number]) => {
    if (of < 0 || of >= keyCount) return 0
    let sum = 0
    for (let frame = at + from; frame <= at + to; frame += 1) sum += one(frame)[field][of] ?? 0
    return sum / (to - from + 1)
  }
  const [before, soon, after] = [one(at - 5), one(at + 2), one(at + 5)]
  const level = (frame: PianoFrame, of: number, partial: number) =>
    frame.levels[of * partialCount + partial] ?? silenceDb
  const loudest = maxValue(after.levels)
  const rises = Array.from(
    { length: partialCount },
    (_, partial) =>
      (Math.max(level(after, key, partial), level(soon, key, partial)) - level(before, key, partial)) / 20,
  )
  const own = level(after, key, 0)
  const strongest = maxValue(one(at).onsets)
  return Float64Array.from([
    maxOver('onsets', key, [0, 0]),
    meanOver('onsets', key, [-1, 1]),
    meanOver('onsets', key, [-3, 3]),
    maxOver('onsets', key, [-12, -3]),
    maxOver('onsets', key, [3, 10]),
    meanOver('sounding', key, [1, 3]),
    meanOver('sounding', key, [4, 8]),
    meanOver('sounding', key, [9, 14]),
    meanOver('sounding', key, [15, featureLookAhead]),
    meanOver('sounding', key, [-4, -2]),
    meanOver('sounding', key, [-featureLookBack, -5]),
    ...relatedKeys.flatMap((apart) => [
      maxOver('onsets', key + apart, [-3, 3]),
      meanOver('sounding', key + apart, [1, 8]),
    ]),
    ...rises,
    (Math.max(...rises) + Math.min(...rises)) / 2,
    (own - loudest) / 40,
    (level(after, key, 1) - own) / 40,
    (level(after, key, 2) - own) / 40,
    (own - (key >= 12 ? level(after, key - 12, 0) : silenceDb)) / 40,
    (own - (key >= 19 ? level(after, key - 19, 0) : silenceDb)) / 40,
    (own - (key < keyCount - 12 ? level(after, key + 12, 0) : silenceDb)) / 40,
    (level(one(at + 14), key, 0) - own) / 20,
    strongest,
    Math.tanh((own + 60) / 30),
    key / keyCount,
    (key / keyCount) ** 2,
  ])
}

/** Maximum of an array. A loop is far faster here than `Math.max(...values)` or `reduce`. */
function maxValue(values: Float32Array): number {
  let max = -Infinity
  for (let at = 0; at < values.length; at += 1) max = Math.max(max, values[at] ?? max)
  return max
}

/** Lowest onset probability of the model that is classified; nearly every true onset is higher. */
const minOnsetProbability = 0.2

/** Time of a local maximum of the onset probability at frame `at`, in frames with a fraction; null if there is none. */
export function onsetPeak(frames: RecentFrames, at: number, key: number): number | null {
  const of = (index: number) => frames.at(index).onsets[key] ?? 0
  const here = of(at)
  // Nearly every call returns here.
  if (here < minOnsetProbability) return null
  const [before, after] = [of(at - 1), of(at + 1)]
  return here <= before || here < after ? null : at + parabolaPeak(before, here, after)
}

/** Offset of the vertex of a parabola through three values, -0.5 to 0.5. */
function parabolaPeak(before: number, here: number, after: number): number {
  const curvature = before - 2 * here + after
  return curvature === 0 ? 0 : (before - after) / (2 * curvature)
}
