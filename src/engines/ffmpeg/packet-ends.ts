import { listByFfprobe, type ProbeOptions } from './ffprobe.ts'

/** The latest end of the packets of each kind, s by the file's own clock; undefined where there are none. */
export interface PacketEnds {
  readonly video: number | undefined
  readonly audio: number | undefined
  /** Time at which the file begins by the same clock, s. */
  readonly start: number
}

/** Looks for the latest ends in ffprobe's intervals, of all streams or by its name for one. Nothing is decoded. */
export async function packetEnds(
  path: string,
  intervals: readonly string[],
  { stream, signal }: ProbeOptions & { readonly stream?: string },
): Promise<PacketEnds> {
  const ends: { video?: number; audio?: number } = {}
  let start = 0
  const entries = 'packet=codec_type,pts_time,dts_time,duration_time:format=start_time'
  const question = [
    ...(stream === undefined ? [] : ['-select_streams', stream]),
    ...['-read_intervals', intervals.join(','), '-show_entries', entries],
  ]
  await listByFfprobe(path, question, {
    signal,
    onEntry([section, ...fields]) {
      if (section === 'format') start = numberOf(fields[0]) ?? 0
      const [type, shown, stored, lasts] = fields
      // AVI tells only when packets are stored.
      const begins = numberOf(shown) ?? numberOf(stored)
      if (section !== 'packet' || begins === undefined || (type !== 'video' && type !== 'audio')) return
      ends[type] = Math.max(ends[type] ?? -Infinity, begins + (numberOf(lasts) ?? 0))
    },
  })
  return { video: ends.video, audio: ends.audio, start }
}

/** ffprobe writes N/A where nothing is told. */
function numberOf(text: string | undefined): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
