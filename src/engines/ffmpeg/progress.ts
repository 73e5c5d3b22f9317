/** One report of ffmpeg's `-progress`: the time in ms and the number of frames written so far. */
export interface ProgressReport {
  readonly timeMs: number
  readonly frames: number
}

/** Longest unfinished line kept, characters. ffmpeg's own lines have fewer than 100. */
const longestLine = 4096

/** Parses `-progress` output that arrives in chunks. Calls `onReport` at the end of each report. */
export function progressReader(onReport: (report: ProgressReport) => void): (chunk: Buffer | string) => void {
  let rest = ''
  let timeMs = 0
  let frames = 0
  const readLine = (line: string) => {
    const [key, value = ''] = line.trim().split('=', 2)
    // "N/A" before the first packet, and negative while an encoder's delay is written.
    const number = /^\s*\d+$/.test(value) ? Number(value) : undefined
    if (key === 'out_time_us' && number !== undefined) timeMs = number / 1000
    if (key === 'frame' && number !== undefined) frames = number
    if (key === 'progress') onReport({ timeMs, frames })
  }
  return (chunk) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = (lines.pop() ?? '').slice(-longestLine)
    for (const line of lines) readLine(line)
  }
}

/** Converts reports to integer percentages of a duration in ms: 0 to 99, strictly increasing. */
export function percentReader(
  durationMs: number,
  onProgress: (percent: number) => void,
): (report: ProgressReport) => void {
  let last = -1
  return ({ timeMs }) => {
    const percent = durationMs > 0 ? Math.min(99, Math.floor((timeMs / durationMs) * 100)) : 0
    if (percent > last) {
      last = percent
      onProgress(percent)
    }
  }
}
