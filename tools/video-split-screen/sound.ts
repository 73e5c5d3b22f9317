import { limiter, stereo } from '../../src/engines/ffmpeg/standard-sound.ts'

/** Sound of a result: which clips are heard, by index, and for how long. */
interface Sound {
  /** Index of the input, and whether it has one channel. */
  readonly inputs: readonly { readonly index: number; readonly mono: boolean }[]
  readonly seconds: number
}

/** Clips that are heard: the first with sound, all with sound, or none. */
export function heardClips(mode: 'first' | 'mix' | 'mute', hasSound: readonly boolean[]): number[] {
  const sounding = hasSound.flatMap((has, index) => (has ? [index] : []))
  if (mode === 'mute') return []
  return mode === 'first' ? sounding.slice(0, 1) : sounding
}

/** The filter graph of the sound, as 48 kHz stereo of exactly the given length; ends in [a]. */
export function soundGraph({ inputs, seconds }: Sound): string {
  const chains = inputs.map(({ index, mono }) => `[${index}:a:0]${stereo(mono)}[a${index}]`)
  const labels = inputs.map(({ index }) => `[a${index}]`).join('')
  const end = `apad,atrim=end=${seconds.toFixed(6)}[a]`
  if (inputs.length === 1) return `${chains.join(';')};${labels}${end}`
  // Unrelated sounds add up by power, so that a mix of any number is about as loud as one of them.
  const weight = (1 / Math.sqrt(inputs.length)).toFixed(6)
  const mix = `amix=inputs=${inputs.length}:duration=longest:normalize=0:weights=${inputs.map(() => weight).join(' ')}`
  return `${chains.join(';')};${labels}${mix},apad,${limiter},${end}`
}
