import { streamTag, type FfprobeOutput, type FfprobeStream } from './ffprobe-answer.ts'

type Format = FfprobeOutput['format']

/** Longest plausible duration: 1000 hours, in ms. */
export const maxDurationMs = 1000 * 3600 * 1000

/**
 * Returns the duration in the header, ms: the container's, else that of its longest stream, else undefined.
 */
export function headerDuration({ format, streams }: FfprobeOutput): number | undefined {
  const own = streams.flatMap((one) => streamDuration(one, format) ?? [])
  return (
    endToDuration(milliseconds(format.duration), format) ?? (own.length > 0 ? Math.max(...own) : undefined)
  )
}

/**
 * Returns a stream's duration, ms: from the container, else from the tag in which Matroska writers store its
 * end.
 */
export function streamDuration(one: FfprobeStream, format: Format): number | undefined {
  const [, hours, minutes, seconds] =
    /^(\d{1,4}):(\d\d):(\d\d(?:\.\d+)?)/.exec(streamTag(one, 'duration') ?? '') ?? []
  const tagged = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const end = endToDuration(milliseconds(String(tagged)), format)
  return (
    milliseconds(one.duration) ??
    (end === undefined ? undefined : Math.max(1, end - streamStart(one, format)))
  )
}

/** Converts an end time to a duration, ms. Matroska and MP4 store the end, so a late start is subtracted. */
function endToDuration(endMs: number | undefined, format: Format): number | undefined {
  if (endMs === undefined || !/^(?:matroska|mov)/.test(format.format_name)) return endMs
  const length = endMs - (milliseconds(format.start_time) ?? 0)
  return length > 0 ? length : undefined
}

/** Returns when a stream starts, in ms from the start of the file. */
export function streamStart({ start_time }: FfprobeStream, format: Format): number {
  const at = (seconds: string | undefined) => {
    const value = Math.round(Number(seconds) * 1000)
    return Math.abs(value) <= maxDurationMs ? value : 0
  }
  return start_time === undefined ? 0 : Math.max(0, at(start_time) - at(format.start_time))
}

function milliseconds(seconds: string | undefined): number | undefined {
  const value = Math.round(Number(seconds ?? NaN) * 1000)
  return value > 0 && value <= maxDurationMs ? value : undefined
}
