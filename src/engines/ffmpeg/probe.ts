import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { extensionOf, kindOf } from '../../contract/file-kind.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { headerDuration, isStill, type Measurements, needsFrameCount, readFacts } from './facts.ts'
import {
  type FfprobeOptions,
  ffprobeOutput,
  type FfprobeOutput,
  type FfprobeStream,
  firstPicturesArgs,
  firstRotation,
  frameEntries,
  hasPictureFrame,
  isPictureStream,
  parseFfprobe,
  probeEntries,
  type ProbeOptions,
  queryFfprobe,
} from './ffprobe.ts'
import { inputArgs, runWithReports } from './run.ts'

/**
 * Returns the facts of a media file. Throws 6017 if it is not media, is damaged or has an unsupported format.
 */
export async function probe(path: string, options: ProbeOptions = {}): Promise<MediaFacts> {
  // The orientation of an image is read with its picture.
  if (kindOf(extensionOf(path)) === 'image') return (await probeWithFirstFrame(path, options)).facts
  return await completeFacts(path, await queryFacts(path, options), options)
}

/**
 * Same as `probe`, and also reports whether the first picture decodes within a quick check, in one ffprobe
 * process. If `isShown` is false, `checkDecodable` searches further.
 */
export async function probeWithFirstFrame(
  path: string,
  options: ProbeOptions = {},
): Promise<{ readonly facts: MediaFacts; readonly isShown: boolean }> {
  const withFrames = kindOf(extensionOf(path)) === 'audio' ? undefined : await queryWithFrames(path, options)
  const probed = withFrames ?? (await queryFacts(path, options))
  return { facts: await completeFacts(path, probed, options), isShown: hasPictureFrame(probed.output) }
}

interface ProbeOutput {
  readonly output: FfprobeOutput
  /**
   * Whether the duration is an estimate, which can be far off. Applies to raw streams without an index (.aac,
   * .mp3).
   */
  readonly isDurationEstimated: boolean
}

async function queryFacts(
  path: string,
  options: FfprobeOptions,
  more: readonly string[] = [],
): Promise<ProbeOutput> {
  const { text, log } = await queryFfprobe(path, ['-show_entries', probeEntries, ...more], options)
  return {
    output: parseFfprobe(ffprobeOutput, text),
    isDurationEstimated: /Estimating duration from bitrate/.test(log),
  }
}

/** Four packets contain a picture in nearly every video. Audio packets and covers may precede it. */
const firstPacketsArgs = ['-read_intervals', '%+#4', '-show_entries', frameEntries]

/** Time limit, ms. A few pictures decode quickly. Callers with more time handle the others. */
const firstPacketsTimeoutMs = 10_000

/** Probes and decodes the first packets. Returns undefined on any MediaError. */
async function queryWithFrames(path: string, options: ProbeOptions): Promise<ProbeOutput | undefined> {
  try {
    return await queryFacts(path, { ...options, timeoutMs: firstPacketsTimeoutMs }, firstPacketsArgs)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return undefined
  }
}

async function completeFacts(
  path: string,
  { output: firstOutput, isDurationEstimated }: ProbeOutput,
  options: ProbeOptions,
): Promise<MediaFacts> {
  const output = await addLateStreams(path, firstOutput, options)
  const facts = readFacts(output, await measureMissing(path, { output, isDurationEstimated }, options))
  if (!facts) throw new MediaError(6017, 'the file has neither a picture nor sound')
  return facts
}

/** Measures what the header does not provide. */
async function measureMissing(
  path: string,
  { output, isDurationEstimated }: ProbeOutput,
  options: ProbeOptions,
): Promise<Measurements> {
  if (isStill(output.format.format_name)) {
    const { frames } =
      output.frames.length > 0 ? output : (await queryFacts(path, options, firstPacketsArgs)).output
    return { rotation: frames[0] && firstRotation(frames[0]) }
  }
  const needsDuration = isDurationEstimated || headerDuration(output) === undefined
  const needsCount = needsFrameCount(output)
  if (!needsDuration && !needsCount) return {}
  const pictures = needsCount ? await measureStreams(path, ['0:V:0'], options) : undefined
  const isOnlyStream =
    output.streams.filter(({ codec_type = '' }) => /^(audio|video)$/.test(codec_type)).length === 1
  const whole = needsDuration
    ? (isOnlyStream && pictures) || (await measureStreams(path, ['0:V?', '0:a?'], options))
    : undefined
  if (whole && whole.durationMs <= 0) {
    throw new MediaError(6017, 'the file does not state its duration, and it contains nothing to measure')
  }
  return {
    ...(whole && { durationMs: whole.durationMs }),
    ...(pictures && { counted: { pictures: pictures.frames, endMs: pictures.durationMs } }),
  }
}

/** Total time limit for locating late streams, ms. The file is usable without the result. */
const lateStreamsTimeoutMs = 10_000

/**
 * Completes ffprobe's output with the start times of streams that start late or are very short. Matroska
 * files do not store when a stream starts. ffprobe then reports the start and duration of the file for
 * streams that it did not see in its initial analysis.
 */
async function addLateStreams(
  path: string,
  output: FfprobeOutput,
  options: ProbeOptions,
): Promise<FfprobeOutput> {
  if (!output.format.format_name.startsWith('matroska')) return output
  const { streams } = output
  const picture = streams.find(isPictureStream)
  const sounds = streams.filter(({ codec_type }) => codec_type === 'audio')
  const timeout = AbortSignal.timeout(lateStreamsTimeoutMs)
  const corrected = new Map<FfprobeStream, FfprobeStream>()
  // The picture comes first because it matters more.
  for (const one of [...(picture ? [picture] : []), ...sounds].filter(hasNoTimes)) {
    const located = await orTimeout({ ...options, timeout }, (signal) =>
      one === picture
        ? locatePicture(path, one, { signal })
        : locateSound(path, { one, index: streams.indexOf(one) }, { signal }),
    )
    corrected.set(one, located ?? one)
  }
  return { ...output, streams: streams.map((one) => corrected.get(one) ?? one) }
}

/**
 * Returns whether ffprobe's times of a stream are unreliable. A Matroska stream has its duration only in a
 * tag, so a duration field is copied from the file. If the file has none either, the start time is missing.
 */
function hasNoTimes({ duration, start_time }: FfprobeStream): boolean {
  return duration !== undefined || start_time === undefined
}

/**
 * Returns the result of a search, or undefined if it takes too long or too much memory, or if the file is
 * damaged.
 */
async function orTimeout<T>(
  { signal, timeout }: ProbeOptions & { readonly timeout: AbortSignal },
  search: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await search(signal ? AbortSignal.any([signal, timeout]) : timeout)
  } catch (error) {
    const isUnreadable = error instanceof MediaError && [6017, 6402].includes(error.code)
    if (!isUnreadable && error !== timeout.reason) throw error
    return undefined
  }
}

function withStart(one: FfprobeStream, startTime: string | undefined): FfprobeStream {
  return startTime === undefined ? one : { ...one, start_time: startTime, duration: undefined }
}

const soundPackets = z.object({ packets: z.array(z.object({ pts_time: z.string().optional() })).default([]) })

/** Returns an audio stream with the time of its first packet. */
async function locateSound(
  path: string,
  { one, index }: { readonly one: FfprobeStream; readonly index: number },
  options: ProbeOptions,
): Promise<FfprobeStream> {
  const entriesArgs = ['-select_streams', String(index), '-read_intervals', '%+#1']
  const { text } = await queryFfprobe(path, [...entriesArgs, '-show_entries', 'packet=pts_time'], options)
  return withStart(one, parseFfprobe(soundPackets, text).packets[0]?.pts_time)
}

const pictureFrames = z.object({
  frames: z
    .array(
      z.object({
        best_effort_timestamp_time: z.string().optional(),
        pix_fmt: z.string().optional(),
        color_space: z.string().optional(),
        color_transfer: z.string().optional(),
      }),
    )
    .default([]),
})

/** Returns a picture stream with the time and format of its first frame, or unchanged if no frame decodes. */
async function locatePicture(
  path: string,
  one: FfprobeStream,
  options: ProbeOptions,
): Promise<FfprobeStream> {
  const entries = 'frame=best_effort_timestamp_time,pix_fmt,color_space,color_transfer'
  const { text } = await queryFfprobe(path, [...firstPicturesArgs, '-show_entries', entries], options)
  const [{ best_effort_timestamp_time: startTime, ...samples } = {}] = parseFfprobe(
    pictureFrames,
    text,
  ).frames
  return startTime === undefined ? one : { ...withStart(one, startTime), ...samples }
}

/** Time limit for reading a whole file, ms. Suffices for 20 GB at 50 MB/s, plus a margin. */
const wholeFileTimeoutMs = 10 * 60_000

/** Reads streams of a whole file without decoding. Returns when they end, ms, and the number of pictures. */
async function measureStreams(
  path: string,
  streams: readonly string[],
  options: ProbeOptions,
): Promise<{ readonly durationMs: number; readonly frames: number }> {
  let [durationMs, frames] = [0, 0]
  await runWithReports(
    {
      args: [
        ...[...inputArgs(path), ...streams.flatMap((one) => ['-map', one])],
        ...['-c', 'copy', '-f', 'null', '-'],
      ],
      timeoutMs: wholeFileTimeoutMs,
      signal: options.signal,
    },
    (report) => {
      durationMs = Math.round(report.timeMs)
      frames = report.frames
    },
  )
  return { durationMs, frames }
}
