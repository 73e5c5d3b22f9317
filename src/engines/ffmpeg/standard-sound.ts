/** Rate of every result's sound, Hz. */
export const soundRate = 48_000

/** The limiter looks ahead, and so delays, by its attack time. */
const attackMs = 5

/** Peak that a mix may reach, of 1: leaves AAC the room it needs not to clip. */
const ceiling = 0.89

/** Keeps a mix from clipping, without a delay; what comes before it must go on past the end. */
export const limiter = limiterAt(soundRate)

/** How much finer peaks between samples are looked for (ITU-R BS.1770, annex 2). */
const oversampling = 4

/** As `limiter`, and holds back peaks between samples too. */
export const truePeakLimiter = [
  `aresample=${oversampling * soundRate}`,
  limiterAt(oversampling * soundRate),
  `aresample=${soundRate}`,
].join(',')

function limiterAt(rate: number): string {
  return [
    `alimiter=limit=${ceiling}:attack=${attackMs}:level=0`,
    `atrim=start_sample=${(rate * attackMs) / 1000},asetpts=PTS-STARTPTS`,
  ].join(',')
}

/**
 * From a decoded stream to even 48 kHz stereo: cuts what decoding from a keyframe brought too much, and fills
 * holes, a late start included, with silence. One channel goes to both sides at its full level: ffmpeg's own way
 * takes 3 dB off.
 */
export function stereo(mono: boolean): string {
  return [
    'atrim=start=0',
    `aresample=${soundRate}:async=1:first_pts=0`,
    ...(mono ? ['pan=stereo|c0=c0|c1=c0'] : []),
    `aformat=sample_fmts=fltp:sample_rates=${soundRate}:channel_layouts=stereo`,
  ].join(',')
}
