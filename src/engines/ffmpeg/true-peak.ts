import { rename } from 'node:fs/promises'
import { mixCeiling, padTo, soundRate, truePeakLimiter } from './sound-filters.ts'
import { inputArgs, logFilter, runRaw } from './run.ts'

interface LimitTruePeakOptions {
  /** Exact length of the sound, seconds. */
  readonly seconds: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Maximum true peak of a mix in a result, dBTP (EBU R 128). */
const maxTruePeak = -1

/** Additional headroom of each further encoding, dB, because AAC adds different peaks every time. */
const marginDecibels = 0.2

/** Maximum number of further encodings. White noise at full level, the worst case, took two. */
const maxAttempts = 4

/**
 * Makes the sound of a file that was encoded with `truePeakLimiter` stay at or below -1 dBTP. AAC adds up to 3 dB to the
 * peaks of dense sound, which no limiter before it can know. The result is therefore measured, and if it is louder, its
 * sound is limited further and encoded again. The picture is copied.
 */
export async function limitTruePeak(path: string, options: LimitTruePeakOptions): Promise<void> {
  let ceiling = mixCeiling
  let measured = await truePeak(path, options)
  const limited = `${path}-limited.mp4`
  for (let attempt = 0; measured > maxTruePeak && attempt < maxAttempts; attempt += 1) {
    ceiling -= measured - maxTruePeak + marginDecibels
    await encodeLimited(path, { ...options, limited, ceiling })
    measured = await truePeak(limited, options)
  }
  if (ceiling < mixCeiling) await rename(limited, path)
}

/** Returns the true peak of the first audio stream, dBTP (ITU-R BS.1770), or -Infinity for silence. */
async function truePeak(path: string, { signal, timeoutMs }: LimitTruePeakOptions): Promise<number> {
  let peak = -Infinity
  await runRaw({
    args: [
      ...['-loglevel', 'repeat+level+info', ...inputArgs(path, ['-vn']), '-map', '0:a:0'],
      ...['-af', 'ebur128=peak=true:framelog=verbose', '-f', 'null', '-'],
    ],
    ...{ signal, timeoutMs },
    readLog: logFilter((line) => {
      const [, decibels] = /\bPeak:\s+(-?[\d.]+) dBFS/.exec(line) ?? []
      if (decibels !== undefined) peak = Number(decibels)
    }),
  })
  return peak
}

interface EncodeLimitedOptions extends LimitTruePeakOptions {
  readonly limited: string
  /** Peak limit, dB. */
  readonly ceiling: number
}

/** Encodes the sound of a file again with a lower peak limit. */
async function encodeLimited(
  path: string,
  { limited, ceiling, seconds, signal, timeoutMs }: EncodeLimitedOptions,
): Promise<void> {
  const end = `atrim=end_sample=${Math.round(seconds * soundRate)}`
  await runRaw({
    args: [
      ...[...inputArgs(path), '-map', '0:v', '-map', '0:a:0', '-c:v', 'copy'],
      ...['-af', [padTo(seconds), truePeakLimiter(ceiling), end].join(','), '-c:a', 'aac', '-b:a', '192k'],
      ...['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart', limited],
    ],
    ...{ signal, timeoutMs },
  })
}
