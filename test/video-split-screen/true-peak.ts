import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Returns the true peak of a sound, dBTP, as measured by ebur128 (ITU-R BS.1770). */
export async function truePeak(path: string): Promise<number> {
  const args = ['-nostats', '-i', path, '-map', '0:a:0', '-af', 'ebur128=peak=true', '-f', 'null', '-']
  const { stderr } = await promisify(execFile)(process.env['REELWRIGHT_FFMPEG'] ?? 'ffmpeg', args, {
    maxBuffer: 2 ** 26,
  })
  const peaks = [...stderr.matchAll(/Peak:\s+(-?[\d.]+|-inf) dBFS/g)].map(([, peak]) => Number(peak))
  return peaks.at(-1) ?? NaN
}
