import { Spectrum } from '../audio/spectrum.ts'
import { speechRate, type TimeSpan } from './speech-types.ts'

/** Samples per frame: 64 ms. */
export const backgroundFrameSamples = 1024

/** Background sound of a recording of speech. */
export interface BackgroundAnalysis {
  /** `unknown` if the speech has too few pauses to analyse. */
  readonly kind: 'none' | 'noise' | 'music' | 'unknown'
  /** Mean level of the speech and median level of its pauses, dBFS. The median ignores breaths and decays. */
  readonly speech: number
  readonly gaps: number
}

/** Pauses below this level, dBFS, or this far below the speech, dB, are silent. */
const maxSilenceDbfs = -60
const maxGapDifferenceDb = 40

/** Fewest frames of pauses for a decision: 0.5 s. */
const minGapFrames = 8

/**
 * A frame is tonal if at least this share of its energy is in spectral peaks; the background is music if at least the
 * second share of frames is tonal.
 */
const minPeakEnergy = 0.5
const minMusicFrames = 0.4

/** Range of the peaks: above 5 kHz music resembles noise; below 250 Hz there is rumble and mains hum. */
const highestBin = Math.round((5000 * backgroundFrameSamples) / speechRate)
const lowestBin = Math.round((250 * backgroundFrameSamples) / speechRate)

/** Classifies the background of mono sound at 16 kHz by the pauses between the spans of speech. */
export function analyzeBackground(sound: Float32Array, spans: readonly TimeSpan[]): BackgroundAnalysis {
  const stretches = clearFrames(sound, spans)
  const speechPowers = stretches.filter(({ speaks }) => speaks).map(({ power }) => power)
  const pauses = stretches.filter(({ speaks }) => !speaks)
  const speech = decibels(speechPowers.reduce((sum, power) => sum + power, 0) / speechPowers.length || 0)
  const powers = pauses.map(({ power }) => power).toSorted((one, other) => one - other)
  const gaps = decibels(powers[Math.floor(powers.length / 2)] ?? 0)
  if (pauses.length < minGapFrames) return { kind: 'unknown', speech, gaps }
  if (gaps < maxSilenceDbfs || gaps < speech - maxGapDifferenceDb) return { kind: 'none', speech, gaps }
  const spectrum = new Spectrum(backgroundFrameSamples)
  const tonal = pauses.filter(({ samples }) => isTonal(samples, spectrum))
  return { kind: tonal.length >= minMusicFrames * pauses.length ? 'music' : 'noise', speech, gaps }
}

/** Whether at least half of the energy of a frame of 1024 samples at 16 kHz is in narrow peaks of its spectrum. */
export function isTonal(frame: Float32Array, spectrum: Spectrum): boolean {
  return meanPower(frame) > 0 && peakEnergyShare(spectrum.magnitudes(frame)) >= minPeakEnergy
}

interface AudioFrame {
  readonly samples: Float32Array
  readonly power: number
  /** Whether speech fills the frame; otherwise it has none. */
  readonly speaks: boolean
}

/** Frames that speech fills completely, or not at all. */
function clearFrames(sound: Float32Array, spans: readonly TimeSpan[]): AudioFrame[] {
  return Array.from({ length: Math.floor(sound.length / backgroundFrameSamples) }, (_, index) => {
    const samples = sound.subarray(index * backgroundFrameSamples, (index + 1) * backgroundFrameSamples)
    const [start, end] = [
      (index * backgroundFrameSamples) / speechRate,
      ((index + 1) * backgroundFrameSamples) / speechRate,
    ]
    const speaks = spans.some((span) => span.start <= start && span.end >= end)
    const isClear = speaks || !spans.some((span) => span.start < end && span.end > start)
    return isClear ? [{ samples, power: meanPower(samples), speaks }] : []
  }).flat()
}

/** Mean of the squared samples. */
export function meanPower(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
}

const decibels = (power: number): number => 10 * Math.log10(power)

/** Offsets of neighbouring bins outside the main lobe of a tone; the floor is their lower quartile. */
const neighbourBins = Array.from({ length: 20 }, (_, at) => (at < 10 ? at - 12 : at - 7))
const floorIndex = 5

/** Ratio to the floor from which a bin is a peak; only a fiftieth of the energy of noise is above. */
const minPeakRatio = 20

/** Share of the energy in narrow spectral peaks, 0 to 1. */
function peakEnergyShare(magnitudes: Float64Array): number {
  let [all, peaks] = [0, 0]
  for (let bin = lowestBin; bin < highestBin; bin += 1) {
    const energy = (magnitudes[bin] ?? 0) ** 2
    all += energy
    const others = neighbourBins.map((offset) => (magnitudes[Math.abs(bin + offset)] ?? 0) ** 2)
    const floor = others.toSorted((one, other) => one - other)[floorIndex] ?? 0
    if (energy > minPeakRatio * floor) peaks += energy
  }
  return all === 0 ? 0 : peaks / all
}
