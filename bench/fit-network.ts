import type { OnsetWeights } from '../src/media/piano/onset-classifier.ts'
import { createRandom } from '../test/piano/seeded-random.ts'

/** A training example: features, and a value if it is positive. */
export interface Example {
  readonly features: Float32Array
  /** Target value; null for a negative example. */
  readonly value: number | null
}

/** Weight of the value loss relative to the decision loss, batch size, and initial learning rate. */
const [valueShare, batch, learningRate] = [0.3, 128, 0.003]

/** L2 weight decay. */
const decay = 1e-4

/** Decay rates of Adam for gradients and their squares. */
const [memory, squares] = [0.9, 0.999]

/** Fits a network with one tanh layer and two outputs, by Adam: a decision (cross entropy) and a value (squared error). */
export function fit(
  examples: readonly Example[],
  { neurons, epochs }: { neurons: number; epochs: number },
): OnsetWeights {
  const inputs = examples[0]?.features.length ?? 0
  const scale = scaleOf(examples, inputs)
  const random = createRandom(1)
  const hiddenSize = neurons * (inputs + 1)
  const weights = Float64Array.from({ length: hiddenSize + 2 * (neurons + 1) }, (_, at) => {
    const isBias = at < hiddenSize ? at % (inputs + 1) === 0 : (at - hiddenSize) % (neurons + 1) === 0
    return isBias ? 0 : random.gaussian() / Math.sqrt(at < hiddenSize ? inputs : neurons)
  })
  const [mean, square] = [new Float64Array(weights.length), new Float64Array(weights.length)]
  const order = Uint32Array.from({ length: examples.length }, (_, at) => at)
  let step = 0
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, random.uniform)
    const rate = learningRate * (0.5 + 0.5 * Math.cos((Math.PI * epoch) / epochs))
    for (let from = 0; from < order.length; from += batch) {
      const gradient = new Float64Array(weights.length)
      const some = order.subarray(from, from + batch)
      for (const index of some) {
        const example = examples[index]
        if (example) addGradient(gradient, example, { weights, inputs, neurons, scale })
      }
      step += 1
      for (let at = 0; at < weights.length; at += 1) {
        const slope = (gradient[at] ?? 0) / some.length + decay * (weights[at] ?? 0)
        const first = (mean[at] = memory * (mean[at] ?? 0) + (1 - memory) * slope)
        const second = (square[at] = squares * (square[at] ?? 0) + (1 - squares) * slope * slope)
        const deviation = Math.sqrt(second / (1 - squares ** step)) + 1e-8
        weights[at] = (weights[at] ?? 0) - (rate * first) / (1 - memory ** step) / deviation
      }
    }
    console.log(`epoch ${epoch + 1} of ${epochs}`)
  }
  return { inputs, neurons, ...foldScaling(weights, { inputs, neurons, scale }) }
}

interface Scale {
  readonly mean: Float64Array
  readonly deviation: Float64Array
}

interface Net {
  readonly weights: Float64Array
  readonly inputs: number
  readonly neurons: number
  readonly scale: Scale
}

function scaleOf(examples: readonly Example[], inputs: number): Scale {
  const [mean, deviation] = [new Float64Array(inputs), new Float64Array(inputs)]
  for (const { features } of examples) {
    for (let at = 0; at < inputs; at += 1) mean[at] = (mean[at] ?? 0) + (features[at] ?? 0) / examples.length
  }
  for (const { features } of examples) {
    for (let at = 0; at < inputs; at += 1) {
      deviation[at] = (deviation[at] ?? 0) + ((features[at] ?? 0) - (mean[at] ?? 0)) ** 2 / examples.length
    }
  }
  return { mean, deviation: deviation.map((square) => Math.sqrt(square) + 1e-3) }
}

function addGradient(gradient: Float64Array, { features, value }: Example, net: Net): void {
  const { weights, inputs, neurons, scale } = net
  const scaled = features.map((feature, at) => (feature - (scale.mean[at] ?? 0)) / (scale.deviation[at] ?? 1))
  const outputs = new Float64Array(neurons)
  const decision = neurons * (inputs + 1)
  const second = decision + neurons + 1
  let [logit, predicted] = [weights[decision] ?? 0, weights[second] ?? 0]
  for (let neuron = 0; neuron < neurons; neuron += 1) {
    const from = neuron * (inputs + 1)
    let sum = weights[from] ?? 0
    for (let at = 0; at < inputs; at += 1) sum += (weights[from + 1 + at] ?? 0) * (scaled[at] ?? 0)
    const activation = (outputs[neuron] = Math.tanh(sum))
    logit += (weights[decision + 1 + neuron] ?? 0) * activation
    predicted += (weights[second + 1 + neuron] ?? 0) * activation
  }
  const decisionError = 1 / (1 + Math.exp(-logit)) - (value === null ? 0 : 1)
  const valueError = value === null ? 0 : valueShare * (predicted - value)
  gradient[decision] = (gradient[decision] ?? 0) + decisionError
  gradient[second] = (gradient[second] ?? 0) + valueError
  for (let neuron = 0; neuron < neurons; neuron += 1) {
    const activation = outputs[neuron] ?? 0
    const [first, other, from] = [decision + 1 + neuron, second + 1 + neuron, neuron * (inputs + 1)]
    gradient[first] = (gradient[first] ?? 0) + decisionError * activation
    gradient[other] = (gradient[other] ?? 0) + valueError * activation
    const hiddenError =
      (decisionError * (weights[first] ?? 0) + valueError * (weights[other] ?? 0)) *
      (1 - activation * activation)
    gradient[from] = (gradient[from] ?? 0) + hiddenError
    for (let at = 0; at < inputs; at += 1) {
      gradient[from + 1 + at] = (gradient[from + 1 + at] ?? 0) + hiddenError * (scaled[at] ?? 0)
    }
  }
}

/** Folds the feature scaling into the weights, so that they apply to raw features. */
function foldScaling(weights: Float64Array, { inputs, neurons, scale }: Omit<Net, 'weights'>) {
  const hidden = Float32Array.from(weights.subarray(0, neurons * (inputs + 1)))
  for (let neuron = 0; neuron < neurons; neuron += 1) {
    const from = neuron * (inputs + 1)
    for (let at = 0; at < inputs; at += 1) {
      const weight = (weights[from + 1 + at] ?? 0) / (scale.deviation[at] ?? 1)
      hidden[from + 1 + at] = weight
      hidden[from] = (hidden[from] ?? 0) - weight * (scale.mean[at] ?? 0)
    }
  }
  return { hidden, output: Float32Array.from(weights.subarray(neurons * (inputs + 1))) }
}

function shuffle(order: Uint32Array, share: () => number): void {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(share() * (at + 1))
    const swapped = order[at] ?? 0
    order[at] = order[other] ?? 0
    order[other] = swapped
  }
}
