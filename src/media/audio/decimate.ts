/** Samples on each side of one that it is made of. */
const filterReach = 20

/** Weights of a sample and of those to one side: a windowed sinc (Blackman). */
const filterWeights = lowPassWeights()

function lowPassWeights(): Float64Array {
  const sinc = Float64Array.from({ length: filterReach + 1 }, (_, at) => {
    const turn = (Math.PI * at) / (filterReach + 1)
    const window = 0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn)
    const x = (Math.PI * at) / 4
    return window * (at === 0 ? 1 : Math.sin(x) / x)
  })
  const sum = sinc.reduce((total, weight) => total + 2 * weight, -(sinc[0] ?? 0))
  return sinc.map((weight) => weight / sum)
}

/**
 * A quarter of the samples of a sound, every fourth from its first on, for what is at most a twentieth of its rate
 * high: that is let through within 0.01 dB, and what would be taken for it is 75 dB fainter. Around the sound there is
 * silence. Written where `into` says.
 */
export function decimateBy4(sound: Float32Array, into: Float32Array): Float32Array {
  const edge = new Float32Array(2 * filterReach + 1)
  for (let at = 0; at < into.length; at += 1) {
    const middle = 4 * at
    const isInside = middle >= filterReach && middle + filterReach < sound.length
    into[at] = isInside
      ? filteredSample(sound, middle)
      : filteredSample(samplesAround(sound, middle, edge), filterReach)
  }
  return into
}

/** All samples that count lie in the sound: reads beyond it would slow down all others. */
function filteredSample(sound: Float32Array, middle: number): number {
  let sum = (filterWeights[0] ?? 0) * (sound[middle] ?? 0)
  for (let apart = 1; apart <= filterReach; apart += 1)
    sum += (filterWeights[apart] ?? 0) * ((sound[middle - apart] ?? 0) + (sound[middle + apart] ?? 0))
  return sum
}

function samplesAround(sound: Float32Array, middle: number, into: Float32Array): Float32Array {
  for (let at = 0; at < into.length; at += 1) into[at] = sound[middle - filterReach + at] ?? 0
  return into
}
