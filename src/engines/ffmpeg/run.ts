import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { extensionOf, kindOf } from '../../contract/file-kind.ts'
import { diskFullError, MediaError } from '../../contract/errors.ts'
import { runChild } from './child.ts'
import type { ChildOptions, ChildResult } from './child.ts'
import { locateFfmpeg } from './locate.ts'
import { percentReader, progressReader } from './progress.ts'
import type { ProgressReport } from './progress.ts'

/** One ffmpeg run. */
export interface FfmpegJob {
  /** What follows the safe global options; inputs are made with `inputArgs`. */
  readonly args: readonly string[]
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
  /** What `pipe:0` among the arguments reads. */
  readonly input?: ChildOptions['input']
  /** Length of the result, for progress. */
  readonly durationMs?: number | undefined
  /** Called with 0 to 100, rising, about once a second. */
  readonly onProgress?: ((percent: number) => void) | undefined
}

/**
 * Runs ffmpeg to its end. Throws MediaError with a plain sentence and the last lines of the log in
 * `cause`; an abort rejects with the signal's reason, in both cases after the process has ended.
 */
export async function runFfmpeg(job: FfmpegJob): Promise<void> {
  const percent = percentReader(job.durationMs ?? 0, job.onProgress ?? (() => {}))
  await runWithReports(job, percent)
  job.onProgress?.(100)
}

/** As `runFfmpeg`, and hands on every report of how far the result has come. */
export async function runWithReports(
  job: Omit<FfmpegJob, 'durationMs' | 'onProgress'>,
  onReport: (report: ProgressReport) => void,
): Promise<void> {
  // -stats_period is of ffmpeg 4.4, the oldest taken.
  const args = ['-progress', 'pipe:1', '-stats_period', '1', ...job.args]
  await runRaw({ ...job, args, onOutput: progressReader(onReport) })
}

/** As `runFfmpeg`, for results that ffmpeg writes to its standard output. */
export async function runRaw(job: Omit<ChildOptions, 'file'>): Promise<void> {
  const { ffmpeg } = await locateFfmpeg()
  const args = [...globalArgs, ...job.args]
  const ended = await runChild({ ...job, file: ffmpeg, args })
  if (ended.timedOut || ended.code !== 0) throw ffmpegError(ended, job.timeoutMs)
}

/**
 * Largest single allocation, in bytes. ffmpeg has no limit on all of its memory, and the system's
 * own can only be set by another program in between and count what is reserved, not what is used:
 * honest work on a machine with many cores reserves more than twice its use. Hence a bound on one
 * allocation, on the picture's size and on the number of streams, and the kernel's memory killer
 * pointed at ffmpeg (child.ts). A film of the largest pictures was seen to take 0.5 GB.
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
 * The plain containers of the extensions the service takes (contract/file-kind.ts), by ffmpeg's names.
 * None of them opens a second file: a playlist, manifest or image sequence is refused whatever it is called.
 */
const containers = {
  image: ['jpeg_pipe', 'png_pipe', 'webp_pipe', 'bmp_pipe'],
  media: ['mov', 'matroska', 'avi', 'flv', 'mp3', 'wav', 'aac', 'flac', 'ogg'],
}

/** Most pixels of one picture: a photo may be larger than a frame, of which a decoder keeps many. */
const maxPixels = { image: 2 ** 27, media: 2 ** 26 }

/** Options that make reading a hostile file safe; for ffmpeg and ffprobe. */
export function safetyArgs(path: string): string[] {
  const kind = kindOf(extensionOf(path)) === 'image' ? 'image' : 'media'
  return [
    ...['-protocol_whitelist', 'file'],
    ...['-format_whitelist', [...containers.media, ...containers.image].join(',')],
    ...['-max_pixels', String(maxPixels[kind])],
    ...['-max_streams', '100'],
    ...(kind === 'image' ? imageDemuxer(path) : []),
  ]
}

/**
 * `-i` with everything that makes reading a hostile file safe, for each input file.
 *
 * @param before further options of this input, such as `-ss`
 */
export function inputArgs(path: string, before: readonly string[] = []): string[] {
  return [...safetyArgs(path), ...before, '-i', fileUrl(path)]
}

/** A path as ffmpeg takes it whatever characters it holds: never an option, a protocol or a pattern. */
export function fileUrl(path: string): string {
  return `file:${resolve(path)}`
}

const imageSignatures = [
  { demuxer: 'png_pipe', bytes: /^\x89PNG/ },
  { demuxer: 'jpeg_pipe', bytes: /^\xff\xd8\xff/ },
  { demuxer: 'webp_pipe', bytes: /^RIFF.{4}WEBP/s },
  { demuxer: 'bmp_pipe', bytes: /^BM/ },
]

/**
 * ffmpeg takes a file named as an image for a sequence of them (image2) by the name alone, so the
 * single-picture demuxer is named; by content, as extensions of images are often wrong.
 */
function imageDemuxer(path: string): string[] {
  const first = firstBytes(path, 16)
  const found = imageSignatures.find(({ bytes }) => bytes.test(first))
  return found ? ['-f', found.demuxer] : []
}

function firstBytes(path: string, length: number): string {
  const buffer = Buffer.alloc(length)
  try {
    const file = openSync(path, 'r')
    try {
      return buffer.toString('latin1', 0, readSync(file, buffer, 0, length, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new MediaError(6017, 'the file cannot be read', { cause: error })
  }
}

const reduceHint = 'ask for less at once: a shorter range, smaller or fewer files'

/** Says in a sentence why ffmpeg failed. */
function ffmpegError({ code, signal, timedOut, log }: ChildResult, timeoutMs: number): MediaError {
  const cause = new Error(log || `ffmpeg ended with ${signal ?? code} and no message`)
  if (timedOut) {
    return new MediaError(6402, `ffmpeg did not finish within ${Math.round(timeoutMs / 1000)} s`, {
      cause,
      hint: `Try again while the machine does less, or ${reduceHint}.`,
    })
  }
  if (signal !== null) {
    const reason = signal === 'SIGKILL' ? ', most often because memory ran out' : ''
    return new MediaError(6402, `ffmpeg was ended by ${signal}${reason}`, {
      cause,
      hint: `Try again while the machine has more memory free, or ${reduceHint}.`,
    })
  }
  if (/No space left on device/.test(log)) {
    return diskFullError(cause)
  }
  if (/Invalid data found when processing input|Format not on whitelist|moov atom not found/.test(log)) {
    return new MediaError(6017, 'the file is damaged or not of a supported media format', { cause })
  }
  return new MediaError(6500, 'ffmpeg could not do this work', { cause })
}
