import { Spectrum } from '../audio/spectrum.ts'
import { speechRate } from './spoken.ts'

/** Samples of a stretch that is looked at: 64 ms. */
export const backgroundFrame = 1024

/** What lies behind speech. */
export interface Background {
  /** `unknown` where the speech leaves too few gaps to hear it. */
  readonly kind: 'none' | 'noise' | 'music' | 'unknown'
  /** Level of the speech, and of most gaps in it, dB of full scale: breath and what dies away are no background. */
  readonly speech: number
  readonly gaps: number
}

/** Gaps fainter than this are silence, dB; and so are those so far below the speech. */
const faint = -60
const farBelow = 40

/** Stretches of gaps that tell something: 0.5 s. */
const leastFrames = 8

/**
 * Tones stand out of what is around them: of a stretch's energy the share in peaks, at least that much for a stretch
 * of music, and the share of such stretches for music.
 */
const tonalShare = 0.5
const leastTonal = 0.4

/** Peaks are looked for up to 5 kHz, above which music is as noise; below 250 Hz rooms rumble and mains hum, as in old recordings. */
const highestBin = Math.round((5000 * backgroundFrame) / speechRate)
const lowestBin = Math.round((250 * backgroundFrame) / speechRate)

/** Listens to stretches of sound of 16 kHz, and tells from the gaps of the speech what is behind it. */
export class BackgroundMeter {
  readonly #spectrum = new Spectrum(backgroundFrame)
  #speech = { power: 0, frames: 0 }
  /** Of each stretch; of hours some hundred thousand. */
  readonly #gaps: number[] = []
  #tonal = 0

  /** Takes `backgroundFrame` samples, in all of which somebody speaks, or nobody does. */
  add(samples: Float32Array, speaks: boolean): void {
    let power = 0
    for (const sample of samples) power += sample * sample
    power /= samples.length
    if (speaks) {
      this.#speech.power += power
      this.#speech.frames += 1
      return
    }
    this.#gaps.push(power)
    if (power > 0 && tonalityOf(this.#spectrum.magnitudes(samples)) >= tonalShare) this.#tonal += 1
  }

  tell(): Background {
    const { length: frames } = this.#gaps
    const middle = this.#gaps.toSorted((one, other) => one - other)[Math.floor(frames / 2)] ?? 0
    const speech = 10 * Math.log10(this.#speech.power / this.#speech.frames || 0)
    const gaps = 10 * Math.log10(middle)
    if (frames < leastFrames) return { kind: 'unknown', speech, gaps }
    if (gaps < faint || gaps < speech - farBelow) return { kind: 'none', speech, gaps }
    const isMusic = this.#tonal >= leastTonal * frames
    return { kind: isMusic ? 'music' : 'noise', speech, gaps }
  }
}

/** What is looked at on both sides of a frequency, past the width of a tone; of these a quarter are fainter than the floor. */
const around = Array.from({ length: 20 }, (_, at) => (at < 10 ? at - 12 : at - 7))
const quarter = 5

/** Noise seldom comes to so many times the floor: a fiftieth of its energy lies above. */
const peak = 20

/** Share of the energy that lies in narrow peaks. */
function tonalityOf(magnitudes: Float64Array): number {
  let [all, peaks] = [0, 0]
  for (let bin = lowestBin; bin < highestBin; bin += 1) {
    const energy = (magnitudes[bin] ?? 0) ** 2
    all += energy
    const others = around.map((offset) => (magnitudes[Math.abs(bin + offset)] ?? 0) ** 2)
    const floor = others.toSorted((one, other) => one - other)[quarter] ?? 0
    if (energy > peak * floor) peaks += energy
  }
  return all === 0 ? 0 : peaks / all
}
