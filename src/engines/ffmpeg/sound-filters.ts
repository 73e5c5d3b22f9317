/** Sample rate of every result, Hz. */
export const soundRate = 48_000

/** Attack time of the limiter, ms. The limiter looks ahead, and thus delays, by this time. */
const attackMs = 5

/** Peak limit of a mix, relative to full scale. Leaves headroom so that AAC does not clip. */
const ceiling = 0.89

/** Limits the peaks of a mix without delay. The input must extend past the end by the attack time. */
export const limiter = limiterAt({ rate: soundRate, ceiling })

/** Oversampling factor for the search for peaks between samples (ITU-R BS.1770, annex 2). */
const oversampling = 4

/**
 * Same as `ceiling`, for peaks between samples, so that they stay below -1 dB in the file. Downsampling
 * restores up to 0.6 dB, and AAC adds as much to tones. White noise at full level reaches +0.7 dB.
 */
const trueCeiling = 0.79

/** Same as `limiter`, but also limits peaks between samples. */
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
 * Largest valid sample, relative to full scale: 100 dB above it. Floats in a file may be infinite or NaN. One
 * such sample would spoil all later results, and ffmpeg's AAC encoder stops at it.
 */
const maxSample = 1e5

/**
 * Replaces invalid samples with silence, before other filters spread them. A comparison with NaN is false.
 */
const replaceInvalid = `aeval=exprs='if(between(val(ch),-${maxSample},${maxSample}),val(ch),0)':c=same`

/**
 * Returns filters that convert a decoded stream to regular stereo, by default at 48 kHz. Invalid samples
 * become silence. Sound before time 0, caused by seeking to a key frame, is cut. Gaps, including a late
 * start, are filled with silence. Mono is copied to both channels at full level, where ffmpeg's default
 * attenuates by 3 dB.
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

/** Same as `stereoFilter`, but mixes to mono at a rate in Hz. Channel gains sum to at most 1. */
export function monoFilter(rate: number): string {
  return [
    'atrim=start=0',
    replaceInvalid,
    `aresample=${rate}:async=1:first_pts=0:rematrix_maxval=1`,
    `aformat=sample_fmts=flt:sample_rates=${rate}:channel_layouts=mono`,
  ].join(',')
}
