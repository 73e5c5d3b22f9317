/** Mel scale of Slaney (1998): linear below 1 kHz, logarithmic above. */
const linearHz = 200 / 3
const breakHz = 1000
const logStep = Math.log(6.4) / 27

function hzToMel(hertz: number): number {
  return hertz < breakHz ? hertz / linearHz : breakHz / linearHz + Math.log(hertz / breakHz) / logStep
}

function melToHz(mel: number): number {
  const linear = breakHz / linearHz
  return mel < linear ? mel * linearHz : breakHz * Math.exp((mel - linear) * logStep)
}

/** Bands of a mel spectrum, and the spectrum they are computed of. */
interface MelLayout {
  readonly bands: number
  /** Samples per second, and per block of the spectrum. */
  readonly rate: number
  readonly size: number
  /** Range of the bands, Hz. */
  readonly lowest: number
  readonly highest: number
}

/** Triangular mel filters, each of area 1 (Slaney): one row of size / 2 + 1 weights per band. */
export function melFilters({ bands, rate, size, lowest, highest }: MelLayout): Float64Array[] {
  const [from, to] = [hzToMel(lowest), hzToMel(highest)]
  const edges = Array.from({ length: bands + 2 }, (_, at) => melToHz(from + ((to - from) * at) / (bands + 1)))
  return Array.from({ length: bands }, (_, band) => {
    const [low = 0, middle = 0, high = 0] = edges.slice(band, band + 3)
    return Float64Array.from({ length: size / 2 + 1 }, (__, bin) => {
      const hertz = (bin * rate) / size
      const slope = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle))
      return (Math.max(0, slope) * 2) / (high - low)
    })
  })
}

/** Returns a function that computes the energy of a band, from the power of each bin. */
export function melBands(layout: MelLayout): (band: number, power: (bin: number) => number) => number {
  const filters = melFilters(layout).map((weights) => {
    const from = weights.findIndex((weight) => weight > 0)
    return { from, weights: weights.subarray(from, weights.findLastIndex((weight) => weight > 0) + 1) }
  })
  return (band, power) => {
    const { from, weights } = filters[band] ?? { from: 0, weights: new Float64Array() }
    let sum = 0
    for (let at = 0; at < weights.length; at += 1) sum += (weights[at] ?? 0) * power(from + at)
    return sum
  }
}
