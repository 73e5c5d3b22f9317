import { rename, rm } from 'node:fs/promises'
import { mixCeiling, padTo, replaceInvalid, soundRate, truePeakLimiter } from './sound-filters.ts'
import { inputArgs, logFilter, runRaw } from './run.ts'

interface LimitTruePeakOptions {
  /** Exact length of the sound, seconds. */
  readonly seconds: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Called with 0 to 100, increasing. */
  readonly onProgress: (percent: number) => void
}

/** Maximum true peak of a mix in a result, dBTP (EBU R 128). */
export const maxTruePeak = -1

/** Additional headroom of each further encoding, dB, because AAC adds different peaks every time. */
const marginDecibels = 0.2

/** Maximum number of further encodings. White noise at full level, the worst case, took two. */
const maxAttempts = 4

/** Share of `limitTruePeak` in the progress of a task, percent. */
export const limitingPercent = 3

/**
 * Makes the sound of a file that was encoded with `truePeakLimiter` stay at or below -1 dBTP. AAC adds up to 3 dB to the
 * peaks of dense sound, which no limiter before it can know. The result is therefore measured, and if it is louder, its
 * sound is limited further and encoded again, alone. At the end, the picture is copied once. Returns notes for the
 * result: one if the sound is still louder after all attempts, else none.
 */
export async function limitTruePeak(path: string, options: LimitTruePeakOptions): Promise<string[]> {
  const { onProgress } = options
  const limited = `${path}-limited.m4a`
  let ceiling = mixCeiling
  let measured = (await measureLevel(path, options)).truePeak
  for (let attempt = 0; measured > maxTruePeak && attempt < maxAttempts; attempt += 1) {
    onProgress((100 * attempt) / maxAttempts)
    ceiling -= measured - maxTruePeak + marginDecibels
    await encodeLimited(path, { ...options, limited, ceiling })
    measured = (await measureLevel(limited, options)).truePeak
  }
  if (ceiling < mixCeiling) await replaceSound(path, limited, options)
  onProgress(100)
  if (measured <= maxTruePeak) return []
  return [
    `the true peak of the mix is ${measured.toFixed(1)} dBTP, above the limit of ${maxTruePeak} dBTP; use quieter sounds`,
  ]
}

/** Level of a sound (ITU-R BS.1770). */
export interface SoundLevel {
  /** Integrated loudness of its channels, LUFS; undefined for silence. */
  readonly loudness: number | undefined
  /** dBTP; -Infinity for silence. */
  readonly truePeak: number
}

/** Loudness that is reported if no block is louder, LUFS. */
const silentLoudness = -70

type MeasureOptions = Pick<LimitTruePeakOptions, 'signal' | 'timeoutMs'>

/** Measures the first audio stream of a file. */
export async function measureLevel(path: string, options: MeasureOptions): Promise<SoundLevel> {
  return await measure(path, { ...options, peak: true })
}

/** Measures the loudness of the first audio stream of a file: takes less than half of the time without its peak. */
export async function measureLoudness(
  path: string,
  options: MeasureOptions,
): Promise<SoundLevel['loudness']> {
  return (await measure(path, { ...options, peak: false })).loudness
}

async function measure(
  path: string,
  { signal, timeoutMs, peak: withPeak }: MeasureOptions & { readonly peak: boolean },
): Promise<SoundLevel> {
  let [loudness, peak] = [silentLoudness, -Infinity]
  await runRaw({
    args: [
      ...['-loglevel', 'repeat+level+info', ...inputArgs(path, ['-vn']), '-map', '0:a:0'],
      ...[
        '-af',
        `${replaceInvalid},ebur128=peak=${withPeak ? 'true' : 'none'}:framelog=verbose`,
        '-f',
        'null',
        '-',
      ],
    ],
    ...{ signal, timeoutMs },
    // The summary is at the end: what a tag of the file imitates is before it.
    readLog: logFilter((line) => {
      const [, decibels] = /\bPeak:\s+(-?[\d.]+) dBFS/.exec(line) ?? []
      if (decibels !== undefined) peak = Number(decibels)
      const [, lufs] = /\bI:\s+(-?[\d.]+) LUFS/.exec(line) ?? []
      if (lufs !== undefined) loudness = Number(lufs)
    }),
  })
  return { loudness: loudness > silentLoudness ? loudness : undefined, truePeak: peak }
}

interface EncodeLimitedOptions extends LimitTruePeakOptions {
  readonly limited: string
  /** Peak limit, dB. */
  readonly ceiling: number
}

/** Options of each result: no tags of its sources. */
const withoutTags: readonly string[] = ['-map_metadata', '-1', '-map_chapters', '-1']

/** Encodes the sound of a file with a lower peak limit to a file of its own. */
async function encodeLimited(
  path: string,
  { limited, ceiling, seconds, signal, timeoutMs }: EncodeLimitedOptions,
): Promise<void> {
  const end = `atrim=end_sample=${Math.round(seconds * soundRate)}`
  await runRaw({
    args: [
      ...[...inputArgs(path, ['-vn']), '-map', '0:a:0'],
      ...['-af', [padTo(seconds), truePeakLimiter(ceiling), end].join(','), '-c:a', 'aac', '-b:a', '192k'],
      ...[...withoutTags, limited],
    ],
    ...{ signal, timeoutMs },
  })
}

/** Replaces the sound of an mp4 by that of another file, and removes that file. */
async function replaceSound(
  path: string,
  sound: string,
  { signal, timeoutMs }: LimitTruePeakOptions,
): Promise<void> {
  const joined = `${path}-limited.mp4`
  await runRaw({
    args: [
      ...[...inputArgs(path, ['-an']), ...inputArgs(sound)],
      ...['-map', '0:v:0', '-map', '1:a:0', '-c', 'copy', ...withoutTags, '-movflags', '+faststart', joined],
    ],
    ...{ signal, timeoutMs },
  })
  await rename(joined, path)
  await rm(sound)
}
