import { soundRate } from '../ffmpeg/sound-filters.ts'

/** Decrease of a peak from sample to sample: to a third in 20 ms, so that it stays between the vibrations of a voice. */
const peakDecay = Math.exp(-1 / (0.02 * soundRate))

/** Limits the first two of four channels to the peaks of the other two, which decrease slowly. */
const limiter = [0, 1]
  .map(
    (channel) =>
      `st(0,max(abs(val(${channel + 2})),ld(0)*${peakDecay.toFixed(6)}));clip(val(${channel}),-ld(0),ld(0))`,
  )
  .join('|')

export interface RangeInContext {
  /** Distinguishes the labels of the range from those of others in a graph. */
  readonly index: number
  /** Lengths, samples: those of the sound before and after the range are not longer than the range. */
  readonly before: number
  readonly samples: number
  readonly after: number
}

/**
 * Returns filters for stereo sound that consists of a range and of what is cut before and after it. What is cut is limited to
 * the peaks of the range at the same distance from the cut: filters that keep the pitch spread it over some 40 ms, where
 * cut words would be heard in a pause. Without it, or with the reversed edge of the range in its place, they change the level
 * of a tone at the cut by up to 2.4 dB.
 */
export function limitContext({ index, before, samples, after }: RangeInContext): string {
  const end = before + samples
  const name = (part: string) => `[${part}${index}]`
  const side = (part: string, context: string, edge: string) =>
    [
      `${name(part)}asplit${name(`${part}_context`)}${name(`${part}_edge`)}`,
      `${name(`${part}_context`)}atrim=${context},asetpts=PTS-STARTPTS${name(`${part}_cut`)}`,
      `${name(`${part}_edge`)}atrim=${edge},areverse,asetpts=PTS-STARTPTS${name(`${part}_mirrored`)}`,
      `${name(`${part}_cut`)}${name(`${part}_mirrored`)}amerge,aeval=exprs='${limiter}':c=stereo,asetpts=N/SR/TB${name(`${part}_limited`)}`,
    ].join(';')
  const sides = [...(before > 0 ? ['before'] : []), 'after']
  return [
    `asplit=${sides.length + 1}${name('range')}${sides.map(name).join('')}`,
    ...(before > 0
      ? [side('before', `end_sample=${before}`, `start_sample=${before}:end_sample=${2 * before}`)]
      : []),
    side('after', `start_sample=${end}`, `start_sample=${end - after}:end_sample=${end}`),
    `${name('range')}atrim=start_sample=${before}:end_sample=${end},asetpts=PTS-STARTPTS${name('kept')}`,
    `${before > 0 ? name('before_limited') : ''}${name('kept')}${name('after_limited')}concat=n=${sides.length + 1}:v=0:a=1`,
  ].join(';')
}
