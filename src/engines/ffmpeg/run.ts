import { resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { diskFullError, MediaError } from '../../contract/errors.ts'
import { extensionOf, kindOf } from '../../contract/file-kind.ts'
import { type FfmpegChildOptions, type ChildResult, runChild } from './child.ts'
import { decodedPixelBytes, imageDemuxer, readImageHead } from './image-format.ts'
import { locateFfmpeg } from './locate.ts'

/** One ffmpeg run. */
interface FfmpegJob {
  /** Arguments after the safe global options. Inputs must be built with `inputArgs`. */
  readonly args: readonly string[]
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
  readonly stallMs?: number | undefined
  /** Data for the argument `pipe:0`. */
  readonly input?: FfmpegChildOptions['input']
  /** Duration of the result, ms, used for progress. */
  readonly durationMs?: number | undefined
  /** Called with 0 to 100, increasing, about once per second. */
  readonly onProgress?: ((percent: number) => void) | undefined
}

/**
 * Runs ffmpeg to its end. Throws MediaError with a plain sentence and the last log lines in `cause`. An abort
 * rejects with the signal's reason. Both happen only after the process has ended.
 */
export async function runFfmpeg(job: FfmpegJob): Promise<void> {
  const percent = percentReader(job.durationMs ?? 0, job.onProgress ?? (() => {}))
  await runWithReports(job, percent)
  job.onProgress?.(100)
}

/** Same as `runFfmpeg`, but passes every progress report to `onReport`. */
export async function runWithReports(
  job: Omit<FfmpegJob, 'durationMs' | 'onProgress'>,
  onReport: (report: ProgressReport) => void,
): Promise<void> {
  // -stats_period exists since ffmpeg 4.4, the oldest supported version.
  const args = ['-progress', 'pipe:1', '-stats_period', '1', ...job.args]
  // ffmpeg may report once per second even if it is stuck: only a change is progress.
  let last: ProgressReport = { timeMs: 0, frames: 0 }
  let isChanged = false
  const read = progressReader((report) => {
    isChanged ||= report.timeMs !== last.timeMs || report.frames !== last.frames
    last = report
    onReport(report)
  })
  const showsProgress = () => {
    const wasChanged = isChanged
    isChanged = false
    return wasChanged
  }
  await runRaw({ ...job, args, onOutput: read, showsProgress })
}

/** Same as `runFfmpeg`, for results that ffmpeg writes to its standard output. */
export async function runRaw(job: Omit<FfmpegChildOptions, 'file'>): Promise<void> {
  const { ffmpeg } = await locateFfmpeg()
  const args = [...globalArgs, ...job.args]
  const ended = await runChild({ ...job, file: ffmpeg, args })
  if (ended.timedOut || ended.stalledMs !== undefined || ended.code !== 0)
    throw ffmpegError(ended, job.timeoutMs)
}

/**
 * Largest single allocation, bytes. ffmpeg has no limit on its total memory. The system's limit requires an
 * intermediate program and counts reserved memory, not used memory. On a machine with many cores, a regular
 * run reserves more than twice what it uses. Therefore a single allocation, the picture size and the number
 * of streams are limited, and the kernel's out-of-memory killer prefers ffmpeg (child.ts). A video of the
 * largest picture size took 0.5 GB.
 */
export const maxAlloc = String(2 ** 30)

const globalArgs = [
  '-hide_banner',
  '-nostdin',
  '-nostats',
  '-y',
  '-loglevel',
  'warning',
  '-max_alloc',
  maxAlloc,
]

/**
 * The containers of the accepted file extensions (contract/file-kind.ts), by ffmpeg's names. None of them
 * opens a second file. A playlist, manifest or image sequence is rejected whatever its name.
 */
const containers = {
  image: ['jpeg_pipe', 'png_pipe', 'webp_pipe', 'bmp_pipe'],
  media: ['mov', 'matroska', 'avi', 'flv', 'mp3', 'wav', 'aac', 'flac', 'ogg'],
}

/** Maximum pixels of a photo. */
export const maxImagePixels = 2 ** 27

/** Maximum pixels of one picture. A photo may be larger than a video frame, of which a decoder keeps many. */
const maxPixels = { image: maxImagePixels, media: 2 ** 26 }

/** Maximum bytes of one decoded photo: the pixels above with 4 bytes each. Samples of 16 bits take twice as many. */
const maxImageBytes = 4 * maxPixels.image

/** Returns the options of ffmpeg and ffprobe that make reading a hostile file safe. */
export function safetyArgs(path: string): string[] {
  const isImage = kindOf(extensionOf(path)) === 'image'
  const start = isImage ? readImageHead(path) : Buffer.alloc(0)
  const pixels = isImage ? maxImageBytes / decodedPixelBytes(start) : maxPixels.media
  return [
    ...['-protocol_whitelist', 'file'],
    ...['-format_whitelist', [...containers.media, ...containers.image].join(',')],
    ...['-max_pixels', String(pixels)],
    ...['-max_streams', '100'],
    ...(isImage ? imageDemuxer(start) : []),
  ]
}

/**
 * Returns `-i` with all options that make reading a hostile file safe, for one input file.
 *
 * @param before further options of this input, such as `-ss`
 */
export function inputArgs(path: string, before: readonly string[] = []): string[] {
  return [...safetyArgs(path), ...before, '-i', fileUrl(path)]
}

/**
 * Returns a path in a form that ffmpeg never parses as an option, a protocol or a pattern, whatever its
 * characters.
 */
export function fileUrl(path: string): string {
  return `file:${resolve(path)}`
}

const reduceHint = 'ask for less at once: a shorter range, smaller or fewer files'

/** Returns the error of a program that was ended because it made no progress. stalledMs: time without progress, ms. */
export function stalledError(program: string, stalledMs: number, cause: unknown): MediaError {
  return new MediaError(6402, `${program} made no progress for ${Math.round(stalledMs / 1000)} s`, {
    cause,
    hint: 'Try again. If the problem persists, check the disk and the files that the task reads.',
  })
}

/** Returns the error that explains why ffmpeg failed. */
function ffmpegError({ code, signal, timedOut, stalledMs, log }: ChildResult, timeoutMs: number): MediaError {
  const cause = new Error(log || `ffmpeg ended with ${signal ?? code} and no message`)
  if (stalledMs !== undefined) return stalledError('ffmpeg', stalledMs, cause)
  if (timedOut) {
    return new MediaError(6402, `ffmpeg did not finish within ${Math.round(timeoutMs / 1000)} s`, {
      cause,
      hint: `Try again when the machine is less busy, or ${reduceHint}.`,
    })
  }
  if (signal !== null) {
    const reason = signal === 'SIGKILL' ? ', most often because memory ran out' : ''
    return new MediaError(6402, `ffmpeg was ended by ${signal}${reason}`, {
      cause,
      hint: `Try again when the machine has more free memory, or ${reduceHint}.`,
    })
  }
  if (/No space left on device/.test(log)) {
    return diskFullError(cause)
  }
  if (/Invalid data found when processing input|Format not on whitelist|moov atom not found/.test(log)) {
    return new MediaError(6017, 'the file is damaged or not of a supported media format', { cause })
  }
  return new MediaError(6500, 'ffmpeg exited with an error', { cause })
}

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

/** Start of a line of a level that ffmpeg logs by default, after the names of its parts. A tag may contain the same text. */
const shownLevels = /^((?:\[[^\]]* @ [^\]]*\] )*)\[(?:warning|error|fatal|panic)\] /

/** Longest incomplete line kept until its end arrives, characters. Tags of a file may have any length. */
const maxLogLine = 1000

/**
 * Reads the log of an ffmpeg that logs more than by default and prefixes each line with its level (for
 * example `-loglevel repeat+level+verbose`). Calls `onLine` for each line. Returns only the lines that ffmpeg
 * logs by default, which excludes tags and similar output.
 */
export function logFilter(onLine: (line: string) => void): (chunk: Buffer) => Buffer {
  let rest = ''
  return (chunk) => {
    const all = (rest + chunk.toString('latin1')).split(/[\r\n]/)
    rest = (all.pop() ?? '').slice(0, maxLogLine)
    // Lines contain colour codes if AV_LOG_FORCE_COLOR is set.
    const lines = all.map((line) => stripVTControlCharacters(line))
    for (const line of lines) onLine(line)
    const kept = lines
      .filter((line) => shownLevels.test(line))
      .map((line) => `${line.replace(shownLevels, '$1')}\n`)
    return Buffer.from(kept.join(''), 'latin1')
  }
}

/** Returns whether the file caused a failure of ffmpeg, rather than the machine, a timeout or an abort. */
export function isInputError(error: unknown): boolean {
  return error instanceof MediaError && [6017, 6021, 6500].includes(error.code)
}
