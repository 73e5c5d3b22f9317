/** Level at which a voice is copied, dB under full scale, of what is not silence. */
const targetDb = -20

/** Highest peak that is left, dB under full scale. */
const peakCeilingDb = -1

/** Window of which a level is told, seconds, and levels under which it is silence, dB under full scale. */
const levelWindowSeconds = 0.02
const levelSilenceDb = -50

/** Speech brought to an even level. */
export interface NormalizeLevelResult {
  readonly samples: Float32Array
  /** By how much it was made louder, dB. */
  readonly gain: number
}

/** Brings speech to an even level (its mean power where it is not silent), but no peak over the ceiling. */
export function normalizeLevel(samples: Float32Array, rate: number): NormalizeLevelResult {
  const size = Math.max(1, Math.round(levelWindowSeconds * rate))
  const least = 10 ** (levelSilenceDb / 10)
  let [power, count, peak] = [0, 0, 0]
  for (let from = 0; from < samples.length; from += size) {
    const part = samples.subarray(from, from + size)
    const mean = part.reduce((sum, sample) => sum + sample * sample, 0) / part.length
    for (const sample of part) peak = Math.max(peak, Math.abs(sample))
    if (mean < least) continue
    power += mean
    count += 1
  }
  if (count === 0) return { samples, gain: 0 }
  const gain = Math.min(targetDb - powerToDb(power / count), peakCeilingDb - 2 * powerToDb(peak))
  const factor = 10 ** (gain / 20)
  return { samples: samples.map((sample) => sample * factor), gain: Math.round(gain * 10) / 10 }
}

/** Of a power; twice as much for an amplitude. */
function powerToDb(power: number): number {
  return 10 * Math.log10(power)
}
