import { Spectrum } from '../audio/spectrum.ts'
import { backgroundFrameSamples, isTonal, meanPower } from '../speech/background-noise.ts'
import { speechRate } from '../speech/speech-types.ts'

/** Least power of audible music: -50 dBFS. Hiss and what a separator leaves of silence are below it. */
const minMusicPower = 10 ** -5

/** A frame with more than this ratio of the powers of voice and music (15 dB) counts neither way: separators leave some of the voice. */
const maxLeakageRatio = 10 ** 1.5

/** Frames of a window in which music is recognised: 5 s. Music may be in a small part of a recording. */
const windowFrames = Math.round((5 * speechRate) / backgroundFrameSamples)

/** Fewest frames of a window that must count, and the least share of them that must be audible and tonal. */
const minCountedFrames = 5
const minTonalShare = 0.4

/**
 * Least number of audible and tonal frames in consecutive windows with music: 1.5 s. Under dense speech, only the pauses count.
 * Windows with too few frames that count are passed over.
 */
const minMusicFrames = Math.round((1.5 * speechRate) / backgroundFrameSamples)

/** Decides whether the music of a separator is music, rather than silence, noise or what is left of the voice. */
export class MusicDetector {
  readonly #spectrum = new Spectrum(backgroundFrameSamples)
  #frames = 0
  #counted = 0
  #tonal = 0
  #musicFrames = 0
  #hasMusic = false

  /** Number of samples of a frame, at 16 kHz. */
  static readonly frameSamples = backgroundFrameSamples

  /** Adds a frame of both sounds of a separator, mono. Returns whether there is enough music for a decision. */
  push(voice: Float32Array, music: Float32Array): boolean {
    const power = meanPower(music)
    if (power * maxLeakageRatio >= meanPower(voice)) {
      this.#counted += 1
      if (power >= minMusicPower && isTonal(music, this.#spectrum)) this.#tonal += 1
    }
    this.#frames += 1
    if (this.#frames === windowFrames) this.#closeWindow()
    return this.#hasMusic
  }

  /** Whether there is music. */
  finish(): boolean {
    this.#closeWindow()
    return this.#hasMusic
  }

  #closeWindow(): void {
    if (this.#counted >= minCountedFrames) {
      const isMusic = this.#tonal >= minTonalShare * this.#counted
      this.#musicFrames = isMusic ? this.#musicFrames + this.#tonal : 0
      this.#hasMusic ||= this.#musicFrames >= minMusicFrames
    }
    this.#frames = 0
    this.#counted = 0
    this.#tonal = 0
  }
}
