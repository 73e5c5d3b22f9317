import { limiter, stereoFilter } from '../../src/engines/ffmpeg/standard-sound.ts'

/** An audible clip. */
interface AudibleClip {
  /** Index of its input. Timestamps are those of its file. */
  readonly index: number
  readonly mono: boolean
  /** Start of its range, ms. */
  readonly beginMs: number
}

/** Sound of a result: the audible clips and the duration in seconds. */
interface SoundGraphOptions {
  readonly inputs: readonly AudibleClip[]
  readonly seconds: number
}

/** Returns the indexes of the audible clips: the first with sound, all with sound, or none. */
export function audibleClips(mode: 'first' | 'mix' | 'mute', hasSound: readonly boolean[]): number[] {
  const sounding = hasSound.flatMap((has, index) => (has ? [index] : []))
  if (mode === 'mute') return []
  return mode === 'first' ? sounding.slice(0, 1) : sounding
}

/**
 * Returns the filter graph of the sound: 48 kHz stereo of exactly the given duration. The output label is
 * [a].
 */
export function soundGraph({ inputs, seconds }: SoundGraphOptions): string {
  const chains = inputs.map(
    ({ index, mono, beginMs }) =>
      `[${index}:a:0]asetpts=PTS-${beginMs / 1000}/TB,${stereoFilter(mono)}[a${index}]`,
  )
  const labels = inputs.map(({ index }) => `[a${index}]`).join('')
  const end = `apad,atrim=end=${seconds.toFixed(6)}[a]`
  if (inputs.length === 1) return `${chains.join(';')};${labels}${end}`
  // The power of unrelated sounds adds up. With this weight, a mix is about as loud as a single sound.
  const weight = (1 / Math.sqrt(inputs.length)).toFixed(6)
  const mix = `amix=inputs=${inputs.length}:duration=longest:normalize=0:weights=${inputs.map(() => weight).join(' ')}`
  return `${chains.join(';')};${labels}${mix},apad,${limiter},${end}`
}
