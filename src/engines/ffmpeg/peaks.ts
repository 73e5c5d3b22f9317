/** Level of one section of sound, 0 to 1. */
export interface Level {
  readonly peak: number
  /** Root mean square, which approximates loudness. */
  readonly mean: number
}

/**
 * Measures the levels of equally long sections. Accepts 16-bit little-endian samples in chunks of any size.
 */
export function levelMeter(stretches: number, samples: number) {
  const peaks = new Float64Array(stretches)
  const squares = new Float64Array(stretches)
  const counts = new Float64Array(stretches)
  let index = 0
  let odd: number | undefined
  const take = (value: number) => {
    // Samples beyond the announced length count to the last section.
    const stretch = Math.min(stretches - 1, Math.floor((index++ * stretches) / samples))
    peaks[stretch] = Math.max(peaks[stretch] ?? 0, Math.abs(value))
    squares[stretch] = (squares[stretch] ?? 0) + value * value
    counts[stretch] = (counts[stretch] ?? 0) + 1
  }
  return {
    add(chunk: Uint8Array): void {
      const bytes = odd === undefined ? chunk : Buffer.concat([Buffer.of(odd), chunk])
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let at = 0; at + 1 < bytes.length; at += 2) take(view.getInt16(at, true) / 32_768)
      odd = bytes.length % 2 === 1 ? bytes.at(-1) : undefined
    },
    levels(): Level[] {
      return Array.from(peaks, (peak, stretch) => ({
        peak,
        mean: Math.sqrt((squares[stretch] ?? 0) / Math.max(1, counts[stretch] ?? 0)),
      }))
    },
  }
}
