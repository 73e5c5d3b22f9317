import type { Seam } from '../../media/timeline/crossfaded-clips.ts'
import { rechunk } from '../../platform/streams.ts'
import { asFloats } from './mix-pcm.ts'

/** Number of interleaved channels. */
const channels = 2

/**
 * Yields the sound of two tracks of interleaved stereo 32-bit floats as one. At seams, the track that plays fades into
 * the other one; elsewhere one of them is silent. `seams`: in order; the first one passes from `one` to `other`.
 */
export async function* crossfadeTracks(
  one: AsyncGenerator<Uint8Array>,
  other: AsyncGenerator<Uint8Array>,
  seams: readonly Seam[],
): AsyncGenerator<Uint8Array> {
  const batches = [rechunk(one), rechunk(other)] as const
  let pending: readonly [Float32Array, Float32Array] = [new Float32Array(), new Float32Array()]
  let [start, done] = [0, 0]
  try {
    for (;;) {
      const results = await Promise.all(batches.map((batch) => batch.next()))
      const [first, second] = results.map(({ value, done: ended }) =>
        ended === true ? undefined : asFloats(value),
      )
      if (!first || !second) {
        // The output may end within a seam.
        yield sumOf(pending, pending[0].length)
        return
      }
      pending = [joined(pending[0], first), joined(pending[1], second)]
      const end = start + pending[0].length / channels
      // A seam is computed as a whole.
      for (; done < seams.length && seamEnd(seams[done]) <= end; done += 1) {
        const seam = seams[done]
        if (!seam) break
        const range = [(seam.from - start) * channels, (seamEnd(seam) - start) * channels] as const
        const parts = pending.map((track) => track.subarray(...range))
        const [outgoing, incoming] = done % 2 === 0 ? parts : parts.toReversed()
        if (outgoing && incoming) crossfade(outgoing, incoming)
      }
      const finished = Math.max(start, Math.min(end, seams[done]?.from ?? end))
      const length = (finished - start) * channels
      yield sumOf(pending, length)
      pending = [pending[0].slice(length), pending[1].slice(length)]
      start = finished
    }
  } finally {
    await Promise.allSettled([...batches, one, other].map((stream) => stream.return(undefined)))
  }
}

/** Returns the sum of the first values of two tracks. */
function sumOf([one, other]: readonly [Float32Array, Float32Array], length: number): Uint8Array {
  const sum = one.slice(0, length)
  for (let index = 0; index < length; index += 1) sum[index] = (sum[index] ?? 0) + (other[index] ?? 0)
  return new Uint8Array(sum.buffer)
}

function seamEnd(seam: Seam | undefined): number {
  return seam ? seam.from + seam.samples : Infinity
}

function joined(one: Float32Array, other: Float32Array): Float32Array {
  const all = new Float32Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/** Mean correlation below which two sounds cancel each other so much that a long overlap would be heard as a dip. */
const minCorrelation = -0.3

/** Correlation up to which the level of a moment is kept: sounds are raised by at most 10 dB. */
const minLocalCorrelation = -0.9

/** Length of the overlap of such sounds, samples: 10 ms. */
const shortOverlap = 480

/**
 * Weights two sounds of equal length in place, so that their sum passes smoothly from the first to the second. Around each
 * moment, the power of the sum is the weighted mean of their powers: the weights of sounds without correlation keep the sum
 * of their squares, those of equal sounds their sum. Sounds that cancel each other throughout overlap for 10 ms only. Samples:
 * interleaved stereo.
 */
export function crossfade(outgoing: Float32Array, incoming: Float32Array): void {
  const samples = outgoing.length / channels
  const powers = localPowers(outgoing, incoming)
  const isOpposite = meanCorrelation(powers) < minCorrelation
  const overlap = isOpposite ? Math.min(samples, shortOverlap) : samples
  const peak = [outgoing, incoming].reduce(
    (most, sound) => sound.reduce((max, value) => Math.max(max, Math.abs(value)), most),
    1,
  )
  for (let index = 0; index < samples; index += 1) {
    const way = Math.min(1, Math.max(0, (index + 0.5 - (samples - overlap) / 2) / overlap))
    const [fall, rise] = [Math.cos((way * Math.PI) / 2), Math.sin((way * Math.PI) / 2)]
    const gain = isOpposite ? 1 : overlapGain(powersAt(powers, index), { fall, rise })
    for (let at = index * channels; at < (index + 1) * channels; at += 1) {
      const before = gain * fall * (outgoing[at] ?? 0)
      // Two peaks may meet; the sum is not louder than the sounds themselves or full scale.
      const sum = Math.min(peak, Math.max(-peak, before + gain * rise * (incoming[at] ?? 0)))
      outgoing[at] = before
      incoming[at] = sum - before
    }
  }
}

/** Samples of a step in which powers are measured, and steps before and after it that count too: 30 ms together. */
const powerStep = 480
const powerReach = 1

/** Mean products of two sounds around a moment: each with itself, and with the other one. */
interface Powers {
  readonly outgoing: number
  readonly incoming: number
  readonly product: number
}

/** Measures two sounds around the middle of each step: words are louder than the pauses beside them. */
function localPowers(outgoing: Float32Array, incoming: Float32Array): Powers[] {
  const size = powerStep * channels
  const steps = Math.max(1, Math.round(outgoing.length / size))
  return Array.from({ length: steps }, (_, step) => {
    const from = Math.max(0, step - powerReach) * size
    const to = step + powerReach + 1 >= steps ? outgoing.length : (step + powerReach + 1) * size
    const [one, other] = [outgoing.subarray(from, to), incoming.subarray(from, to)]
    return {
      ...{ outgoing: meanProduct(one, one), incoming: meanProduct(other, other) },
      product: meanProduct(one, other),
    }
  })
}

/** Powers around a sample, between those of the nearest steps. */
function powersAt(powers: readonly Powers[], index: number): Powers {
  const position = Math.min(powers.length - 1, Math.max(0, (index + 0.5) / powerStep - 0.5))
  const one = powers[Math.floor(position)]
  const other = powers[Math.ceil(position)]
  if (!one || !other) throw new Error('a crossfade has no sound')
  const share = position - Math.floor(position)
  const between = (key: keyof Powers) => one[key] + share * (other[key] - one[key])
  return { outgoing: between('outgoing'), incoming: between('incoming'), product: between('product') }
}

/**
 * Mean of the correlations of two sounds around each moment, -1 to 1. A moment counts less where one of them is hardly heard.
 * The least one is often low by chance: a moment of a voice or rumble has only a few vibrations.
 */
function meanCorrelation(powers: readonly Powers[]): number {
  let [sum, weights] = [0, 0]
  for (const [step, { outgoing, incoming, product }] of powers.entries()) {
    if (outgoing === 0 || incoming === 0) continue
    // The product of both weights.
    const weight = Math.sin((Math.PI * (step + 0.5)) / powers.length)
    sum += (weight * product) / Math.sqrt(outgoing * incoming)
    weights += weight
  }
  return weights > 0 ? sum / weights : 0
}

/** Gain with which the power of a weighted sum is the weighted mean of the powers. */
function overlapGain(
  { outgoing, incoming, product }: Powers,
  { fall, rise }: { readonly fall: number; readonly rise: number },
): number {
  const wanted = fall * fall * outgoing + rise * rise * incoming
  const least = minLocalCorrelation * Math.sqrt(outgoing * incoming)
  const actual = wanted + 2 * fall * rise * Math.max(least, product)
  return wanted > 0 ? Math.sqrt(wanted / actual) : 1
}

function meanProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum / Math.max(1, one.length)
}
