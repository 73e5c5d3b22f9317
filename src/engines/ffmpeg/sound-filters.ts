/** Sample rate of every result, Hz. */
export const soundRate = 48_000

/** Attack time of the limiter, ms. The limiter looks ahead by this time, and delays by one sample less. */
const attackMs = 5

/** Oversampling factor for the search for peaks between samples (ITU-R BS.1770, annex 2). */
const oversampling = 4

/**
 * Peak limit of a mix, dB. Downsampling restores up to 0.6 dB, and AAC adds as much to tones. What dense sound adds is
 * measured and limited after encoding (`limitTruePeak`).
 */
export const mixCeiling = -2.05

/**
 * Returns filters that limit the true peaks of a mix without delay. The input must extend past the end by the attack time:
 * see `padTo`. ceiling: peak limit, dB.
 */
export function truePeakLimiter(ceiling = mixCeiling): string {
  return [
    `aresample=${oversampling * soundRate}`,
    `alimiter=limit=${(10 ** (ceiling / 20)).toFixed(4)}:attack=${attackMs}:level=0`,
    `atrim=start_sample=${(oversampling * soundRate * attackMs) / 1000 - 1},asetpts=PTS-STARTPTS`,
    `aresample=${soundRate}`,
  ].join(',')
}

/** Duration decoded before a range, seconds. Audio decoders are exact only after some preceding sound. */
const leadIn = 0.5

/** Returns where decoding starts for sound that starts at `from`, both in seconds of the file. */
export function soundDecodeStart(from: number): number {
  return Math.max(0, from - leadIn)
}

/** Silence beyond the end, seconds, for the delay of `truePeakLimiter` and for rounding. */
const paddingSeconds = 0.1

/** Returns the filter that extends sound with silence to slightly more than so many seconds. Never endless. */
export function padTo(seconds: number): string {
  return `apad=whole_dur=${(seconds + paddingSeconds).toFixed(6)}`
}

/** Duration of the fade at a cut, ms: removes the click and is too short to be heard itself. */
const defaultFadeMs = 3

interface CutFades {
  /** Length of the sound, samples at the rate of results. */
  readonly samples: number
  /** Whether it starts with a cut. */
  readonly fadeIn: boolean
  /** Whether it ends with a cut. */
  readonly fadeOut: boolean
  /** Length of each fade, ms; at most half of the sound. Default: 3. */
  readonly milliseconds?: number | undefined
}

/**
 * Returns filters that fade sound, with timestamps from 0, at its cuts. A raised cosine makes no step larger than those
 * of the sound itself.
 */
export function cutFades({ samples, fadeIn, fadeOut, milliseconds = defaultFadeMs }: CutFades): string[] {
  const length = Math.min(Math.round((milliseconds * soundRate) / 1000), Math.floor(samples / 2))
  if (length === 0) return []
  const fade = (type: 'in' | 'out', start: number) =>
    `afade=type=${type}:start_sample=${start}:nb_samples=${length}:curve=hsin`
  return [...(fadeIn ? [fade('in', 0)] : []), ...(fadeOut ? [fade('out', samples - length)] : [])]
}

/**
 * Largest valid sample, relative to full scale: 100 dB above it. Floats in a file may be infinite or NaN. One
 * such sample would spoil all later results, and ffmpeg's AAC encoder stops at it.
 */
const maxSample = 1e5

/**
 * Replaces invalid samples with silence, before other filters spread them. A comparison with NaN is false.
 */
export const replaceInvalid = `aeval=exprs='if(between(val(ch),-${maxSample},${maxSample}),val(ch),0)':c=same`

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
