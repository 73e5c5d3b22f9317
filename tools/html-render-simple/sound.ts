import { limiter, soundRate, stereo } from '../../src/engines/ffmpeg/standard-sound.ts'

/** A sound of the result. */
export interface SoundInput {
  /** Of its input. */
  readonly index: number
  readonly mono: boolean
  /** In seconds of the result; to its end where it is left out. */
  readonly from: number
  readonly seconds: number | undefined
}

/** The filter graph of one or two sounds, each as loud as it is, for exactly so long; ends in [a]. */
export function soundGraph(sounds: readonly SoundInput[], seconds: number): string {
  const chains = sounds.map((sound) => `[${sound.index}:a:0]${soundFilterChain(sound)}`)
  const end = `apad,atrim=end=${seconds.toFixed(6)}[a]`
  if (chains.length === 1) return `${chains.join('')},${end}`
  const labels = chains.map((_, index) => `[a${index}]`)
  const mix = `amix=inputs=${chains.length}:duration=longest:normalize=0`
  return `${chains.map((chain, index) => chain + labels[index]).join(';')};${labels.join('')}${mix},apad,${limiter},${end}`
}

function soundFilterChain({ mono, from, seconds }: SoundInput): string {
  return [
    stereo(mono),
    ...(seconds === undefined ? [] : [`atrim=end=${seconds.toFixed(6)}`]),
    ...(from > 0 ? [`adelay=delays=${Math.round(from * soundRate)}S:all=1`] : []),
  ].join(',')
}
