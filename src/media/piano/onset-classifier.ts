import { partialCount, type PianoFrame, type RecentFrames, silenceDb } from './frames.ts'
import { keyCount } from './note.ts'
import { onsetWeights } from './onset-weights.ts'

/** What is thought of a sound that begins. */
export interface OnsetEstimate {
  /** 0 to 1: how sure it is that a key was struck. */
  readonly probability: number
  /** How hard, as a MIDI velocity; not yet whole, nor within its bounds. */
  readonly velocity: number
}

/** A fully connected layer of few neurons and two outputs, fitted on generated pieces (bench/piano-fit.ts). */
export interface OnsetWeights {
  readonly inputs: number
  readonly neurons: number
  /** Neuron by neuron: its bias, then the weight of each input. */
  readonly hidden: Float32Array
  /** For each of the two outputs: its bias, then the weight of each neuron. */
  readonly output: Float32Array
}

/** Judges by the numbers that `featuresOf` gives. */
export function classifyOnset(
  features: Float64Array,
  { inputs, neurons, hidden, output }: OnsetWeights = onsetWeights,
): OnsetEstimate {
  let [logit, velocity] = [output[0] ?? 0, output[neurons + 1] ?? 0]
  for (let neuron = 0; neuron < neurons; neuron += 1) {
    const from = neuron * (inputs + 1)
    let sum = hidden[from] ?? 0
    for (let at = 0; at < inputs; at += 1) sum += (hidden[from + 1 + at] ?? 0) * (features[at] ?? 0)
    const fires = Math.tanh(sum)
    logit += (output[1 + neuron] ?? 0) * fires
    velocity += (output[neurons + 2 + neuron] ?? 0) * fires
  }
  return {
    probability: 1 / (1 + Math.exp(-logit)),
    velocity: velocityScale.middle + velocityScale.span * velocity,
  }
}

/** Velocities are fitted in spans from the middle. */
export const velocityScale = { middle: 64, span: 32 } as const

/** Frames that `onsetFeatures` looks at before and after its moment. */
const featureLookBack = 16
export const featureLookAhead = 22

/** Keys apart whose sounds are taken for one another: neighbours, octaves, and what shares partials. */
const relatedKeys = [-1, 1, -12, 12, -19, 19, -24, 24, -7, 7, -28, -31] as const

/** What tells a note that was struck from one that only seems so: numbers around 0, near 1 at most. */
export function onsetFeatures(frames: RecentFrames, at: number, key: number): Float64Array {
  const one = (frame: number) => frames.at(frame)
  const most = (field: 'onsets' | 'sounding', of: number, [from, to]: readonly [number, number]) => {
    if (of < 0 || of >= keyCount) return 0
    let best = 0
    for (let frame = at + from; frame <= at + to; frame += 1)
      best = Math.max(best, one(frame)[field][of] ?? 0)
    return best
  }
  const mean = (field: 'onsets' | 'sounding', of: number, [from, to]: readonly [number, number]) => {
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
    most('onsets', key, [0, 0]),
    mean('onsets', key, [-1, 1]),
    mean('onsets', key, [-3, 3]),
    most('onsets', key, [-12, -3]),
    most('onsets', key, [3, 10]),
    mean('sounding', key, [1, 3]),
    mean('sounding', key, [4, 8]),
    mean('sounding', key, [9, 14]),
    mean('sounding', key, [15, featureLookAhead]),
    mean('sounding', key, [-4, -2]),
    mean('sounding', key, [-featureLookBack, -5]),
    ...relatedKeys.flatMap((apart) => [
      most('onsets', key + apart, [-3, 3]),
      mean('sounding', key + apart, [1, 8]),
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

/** The highest of numbers; spread over arguments, or reduced, they would be walked far more slowly. */
function maxValue(values: Float32Array): number {
  let most = -Infinity
  for (let at = 0; at < values.length; at += 1) most = Math.max(most, values[at] ?? most)
  return most
}

/** From here on a rise of the model's onsets is looked at more closely: nearly every true one is higher. */
const minOnsetProbability = 0.2

/** The moment, in frames, of an onset of the model that is worth a look and highest at a frame; null where there is none. */
export function onsetPeak(frames: RecentFrames, at: number, key: number): number | null {
  const of = (index: number) => frames.at(index).onsets[key] ?? 0
  const here = of(at)
  // Nearly all that is looked at ends here.
  if (here < minOnsetProbability) return null
  const [before, after] = [of(at - 1), of(at + 1)]
  return here <= before || here < after ? null : at + parabolaPeak(before, here, after)
}

/** Where between -0.5 and 0.5 a parabola through three values has its top. */
function parabolaPeak(before: number, here: number, after: number): number {
  const bend = before - 2 * here + after
  return bend === 0 ? 0 : (before - after) / (2 * bend)
}
