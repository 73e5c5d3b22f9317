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

const rate = 48_000

/** The limiter looks ahead, and so delays, by its attack time. */
const attackMs = 5

/** Peak that a mix may reach, of 1: leaves AAC the room it needs not to clip. */
const ceiling = 0.89

/** The filter graph of the sound, as 48 kHz stereo of exactly the given length; ends in [a]. */
export function soundGraph({ inputs, seconds }: Sound): string {
  const chains = inputs.map(({ index, mono }) => `[${index}:a:0]${clipChain(mono)}[a${index}]`)
  const labels = inputs.map(({ index }) => `[a${index}]`).join('')
  const end = `apad,atrim=end=${seconds.toFixed(6)}[a]`
  if (inputs.length === 1) return `${chains.join(';')};${labels}${end}`
  // Unrelated sounds add up by power, so that a mix of any number is about as loud as one of them.
  const weight = (1 / Math.sqrt(inputs.length)).toFixed(6)
  const mix = `amix=inputs=${inputs.length}:duration=longest:normalize=0:weights=${inputs.map(() => weight).join(' ')}`
  const limit = `alimiter=limit=${ceiling}:attack=${attackMs}:level=0`
  const undelay = `atrim=start_sample=${(rate * attackMs) / 1000},asetpts=PTS-STARTPTS`
  return `${chains.join(';')};${labels}${mix},apad,${limit},${undelay},${end}`
}

/**
 * Cuts what decoding from a keyframe brought too much, and fills holes, a late start included, with silence.
 * One channel goes to both sides at its full level: ffmpeg's own way takes 3 dB off.
 */
function clipChain(mono: boolean): string {
  return [
    'atrim=start=0',
    `aresample=${rate}:async=1:first_pts=0`,
    ...(mono ? ['pan=stereo|c0=c0|c1=c0'] : []),
    `aformat=sample_fmts=fltp:sample_rates=${rate}:channel_layouts=stereo`,
  ].join(',')
}
