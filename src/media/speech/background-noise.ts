import { Spectrum } from '../audio/spectrum.ts'
import { speechRate, type TimeSpan } from './speech-types.ts'

/** Samples of a stretch that is looked at: 64 ms. */
const frameSamples = 1024

/** What lies behind speech. */
export interface BackgroundAnalysis {
  /** `unknown` where the speech leaves too few gaps to hear it. */
  readonly kind: 'none' | 'noise' | 'music' | 'unknown'
  /** Level of the speech, and of most gaps in it, dB of full scale: breath and what dies away are no background. */
  readonly speech: number
  readonly gaps: number
}

/** Gaps fainter than this are silence, dB; and so are those so far below the speech. */
const silenceDb = -60
const maxGapDifferenceDb = 40

/** Stretches of gaps that tell something: 0.5 s. */
const minGapFrames = 8

/**
 * Tones stand out of what is around them: of a stretch's energy the share in peaks, at least that much for a stretch
 * of music, and the share of such stretches for music.
 */
const minPeakEnergy = 0.5
const minMusicFrames = 0.4

/** Peaks are looked for up to 5 kHz, above which music is as noise; below 250 Hz rooms rumble and mains hum, as in old recordings. */
const highestBin = Math.round((5000 * frameSamples) / speechRate)
const lowestBin = Math.round((250 * frameSamples) / speechRate)

/** Tells what is behind speech in sound of 16 kHz, by the gaps between the spans in which somebody speaks. */
export function analyzeBackground(sound: Float32Array, spans: readonly TimeSpan[]): BackgroundAnalysis {
  const stretches = clearFrames(sound, spans)
  const said = stretches.filter(({ speaks }) => speaks).map(({ power }) => power)
  const heard = stretches.filter(({ speaks }) => !speaks)
  const speech = decibels(said.reduce((sum, power) => sum + power, 0) / said.length || 0)
  const powers = heard.map(({ power }) => power).toSorted((one, other) => one - other)
  const gaps = decibels(powers[Math.floor(powers.length / 2)] ?? 0)
  if (heard.length < minGapFrames) return { kind: 'unknown', speech, gaps }
  if (gaps < silenceDb || gaps < speech - maxGapDifferenceDb) return { kind: 'none', speech, gaps }
  const spectrum = new Spectrum(frameSamples)
  const tonal = heard.filter(
    ({ samples, power }) => power > 0 && peakEnergyShare(spectrum.magnitudes(samples)) >= minPeakEnergy,
  )
  return { kind: tonal.length >= minMusicFrames * heard.length ? 'music' : 'noise', speech, gaps }
}

interface AudioFrame {
  readonly samples: Float32Array
  readonly power: number
  /** All through; else nobody does at all. */
  readonly speaks: boolean
}

/** The stretches of sound in which somebody speaks all through, or nobody at all. */
function clearFrames(sound: Float32Array, spans: readonly TimeSpan[]): AudioFrame[] {
  return Array.from({ length: Math.floor(sound.length / frameSamples) }, (_, index) => {
    const samples = sound.subarray(index * frameSamples, (index + 1) * frameSamples)
    const [start, end] = [(index * frameSamples) / speechRate, ((index + 1) * frameSamples) / speechRate]
    const speaks = spans.some((span) => span.start <= start && span.end >= end)
    const isClear = speaks || !spans.some((span) => span.start < end && span.end > start)
    return isClear ? [{ samples, power: meanPower(samples), speaks }] : []
  }).flat()
}

/** Mean power of sound. */
export function meanPower(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
}

const decibels = (power: number): number => 10 * Math.log10(power)

/** What is looked at on both sides of a frequency, past the width of a tone; of these a quarter are fainter than the floor. */
const neighbourBins = Array.from({ length: 20 }, (_, at) => (at < 10 ? at - 12 : at - 7))
const floorIndex = 5

/** Noise seldom comes to so many times the floor: a fiftieth of its energy lies above. */
const minPeakRatio = 20

/** Share of the energy that lies in narrow peaks. */
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
