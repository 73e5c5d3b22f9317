import { onsetWeights } from './weights.ts'

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
