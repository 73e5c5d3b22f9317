/** Rate of every result's sound, Hz. */
export const soundRate = 48_000

/** The limiter looks ahead, and so delays, by its attack time. */
const attackMs = 5

/** Peak that a mix may reach, of 1: leaves AAC the room it needs not to clip. */
const ceiling = 0.89

/** Keeps a mix from clipping, without a delay; what comes before it must go on past the end. */
export const limiter = limiterAt({ rate: soundRate, ceiling })

/** How much finer peaks between samples are looked for (ITU-R BS.1770, annex 2). */
const oversampling = 4

/**
 * As `ceiling`, for peaks between samples, that they stay at -1 dB in the file: coming back from the finer rate
 * brings up to 0.6 dB of what was taken off back, and AAC adds as much to tones; white noise at full level comes to +0.7 dB.
 */
const trueCeiling = 0.79

/** As `limiter`, and holds back peaks between samples too. */
export const truePeakLimiter = [
  `aresample=${oversampling * soundRate}`,
  limiterAt({ rate: oversampling * soundRate, ceiling: trueCeiling }),
  `aresample=${soundRate}`,
].join(',')

function limiterAt({ rate, ceiling: limit }: { rate: number; ceiling: number }): string {
  return [
    `alimiter=limit=${limit}:attack=${attackMs}:level=0`,
    `atrim=start_sample=${(rate * attackMs) / 1000},asetpts=PTS-STARTPTS`,
  ].join(',')
}

/**
 * Largest sample that is sound, of 1: 100 dB over full scale. Floats of a file may also be infinite or no numbers;
 * one of those would spoil all that is made of it afterwards, and ffmpeg's AAC encoder ends at it.
 */
const maxSample = 1e5

/** Silence in place of samples that are none; first of all, before filters spread them. A comparison with NaN is false. */
const replaceInvalid = `aeval=exprs='if(between(val(ch),-${maxSample},${maxSample}),val(ch),0)':c=same`

/**
 * From a decoded stream to even stereo, of 48 kHz where no rate is told: broken samples are silence, what decoding from a keyframe brought
 * too much is cut, and holes, a late start included, are filled with silence. One channel goes to both sides at its
 * full level: ffmpeg's own way takes 3 dB off.
 */
export function stereoFilter(mono: boolean, rate = soundRate): string {
  return [
    'atrim=start=0',
    replaceInvalid,
    `aresample=${rate}:async=1:first_pts=0`,
    ...(mono ? ['pan=stereo|c0=c0|c1=c0'] : []),
    `aformat=sample_fmts=fltp:sample_rates=${rate}:channel_layouts=stereo`,
  ].join(',')
}

/** As `stereoFilter`, to one channel of a rate: channels are mixed so that none of their sums goes past full scale. */
export function monoFilter(rate: number): string {
  return [
    'atrim=start=0',
    replaceInvalid,
    `aresample=${rate}:async=1:first_pts=0:rematrix_maxval=1`,
    `aformat=sample_fmts=flt:sample_rates=${rate}:channel_layouts=mono`,
  ].join(',')
}
