import { limiter, stereoFilter } from '../../src/engines/ffmpeg/standard-sound.ts'

/** A clip that is heard. */
interface AudibleClip {
  /** Of its input, in times of its file. */
  readonly index: number
  readonly mono: boolean
  /** Where its range begins. */
  readonly beginMs: number
}

/** Sound of a result: which clips are heard, by index, and for how long. */
interface SoundGraphOptions {
  readonly inputs: readonly AudibleClip[]
  readonly seconds: number
}

/** Clips that are heard: the first with sound, all with sound, or none. */
export function audibleClips(mode: 'first' | 'mix' | 'mute', hasSound: readonly boolean[]): number[] {
  const sounding = hasSound.flatMap((has, index) => (has ? [index] : []))
  if (mode === 'mute') return []
  return mode === 'first' ? sounding.slice(0, 1) : sounding
}

/** The filter graph of the sound, as 48 kHz stereo of exactly the given length; ends in [a]. */
export function soundGraph({ inputs, seconds }: SoundGraphOptions): string {
  const chains = inputs.map(
    ({ index, mono, beginMs }) =>
      `[${index}:a:0]asetpts=PTS-${beginMs / 1000}/TB,${stereoFilter(mono)}[a${index}]`,
  )
  const labels = inputs.map(({ index }) => `[a${index}]`).join('')
  const end = `apad,atrim=end=${seconds.toFixed(6)}[a]`
  if (inputs.length === 1) return `${chains.join(';')};${labels}${end}`
  // Unrelated sounds add up by power, so that a mix of any number is about as loud as one of them.
  const weight = (1 / Math.sqrt(inputs.length)).toFixed(6)
  const mix = `amix=inputs=${inputs.length}:duration=longest:normalize=0:weights=${inputs.map(() => weight).join(' ')}`
  return `${chains.join(';')};${labels}${mix},apad,${limiter},${end}`
}
