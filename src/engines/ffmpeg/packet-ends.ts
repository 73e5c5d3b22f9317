import { listWithFfprobe, type ProbeOptions } from './ffprobe.ts'

/** A stream of a file and the end of its packets. */
export interface StreamEnd {
  readonly index: number
  /** Type by ffprobe's names. */
  readonly type: string
  readonly isCover: boolean
  /**
   * Latest end of the packets read, excluding discarded ones, in seconds of the file's own clock. Undefined
   * if none.
   */
  readonly ends: number | undefined
  /** Number of those packets. */
  readonly packets: number
}

/** The streams of a file and the start time of the file, in seconds of its own clock. */
export interface PacketEnds {
  readonly streams: readonly StreamEnd[]
  readonly start: number
}

const packetEntries = [
  'packet=stream_index,pts_time,dts_time,duration_time,flags',
  'stream=index,codec_type',
  'stream_disposition=attached_pic',
  'format=start_time',
].join(':')

interface PacketOptions extends ProbeOptions {
  /** ffprobe's specifier of one stream. Default: all streams. */
  readonly stream?: string
  readonly onPacket?: (packet: Packet) => void
}

/**
 * A packet: stream index, presentation time in seconds of the file's own clock, and whether it is a key
 * frame.
 */
export interface Packet {
  readonly index: number
  readonly shown: number | undefined
  readonly isKey: boolean
}

/** Finds the latest packet end of each stream within ffprobe's read intervals. Decodes nothing. */
export async function readPacketEnds(
  path: string,
  intervals: readonly string[],
  { stream, signal, onPacket }: PacketOptions,
): Promise<PacketEnds> {
  const ends = new Map<number, number>()
  const counts = new Map<number, number>()
  const streams: { index: number; type: string; isCover: boolean }[] = []
  let start = 0
  const question = [
    ...(stream === undefined ? [] : ['-select_streams', stream]),
    ...['-read_intervals', intervals.join(','), '-show_entries', packetEntries],
  ]
  await listWithFfprobe(path, question, {
    signal,
    onEntry([section, ...fields]) {
      if (section === 'format') start = finiteNumber(fields[0]) ?? 0
      const index = Number(fields[0])
      if (section === 'stream') {
        const [, type = '', cover] = fields
        streams.push({ index, type, isCover: cover === '1' })
      }
      const [, shown, stored, lasts, flags = ''] = fields
      if (section === 'packet') onPacket?.({ index, shown: finiteNumber(shown), isKey: flags.includes('K') })
      // AVI has only decoding times.
      const begins = finiteNumber(shown) ?? finiteNumber(stored)
      // Packets that an edit list excludes are flagged as discarded.
      if (section !== 'packet' || begins === undefined || flags.includes('D')) return
      counts.set(index, (counts.get(index) ?? 0) + 1)
      ends.set(index, Math.max(ends.get(index) ?? -Infinity, begins + (finiteNumber(lasts) ?? 0)))
    },
  })
  const told = (one: (typeof streams)[number]): StreamEnd => ({
    ...one,
    ends: ends.get(one.index),
    packets: counts.get(one.index) ?? 0,
  })
  return { streams: streams.map(told), start }
}

/** Parses a number. ffprobe prints N/A for unknown values. */
function finiteNumber(text: string | undefined): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
