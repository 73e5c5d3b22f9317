import { listWithFfprobe, type ProbeOptions } from './ffprobe.ts'

/** A stream of a file and where its packets end. */
export interface StreamEnd {
  readonly index: number
  /** By ffprobe's names. */
  readonly type: string
  readonly isCover: boolean
  /** The latest end of its packets that were read and are shown, s by the file's own clock; undefined where none is. */
  readonly ends: number | undefined
  /** How many those are. */
  readonly packets: number
}

/** The streams of a file, and the time at which it begins, s by its own clock. */
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
  /** By ffprobe's name for one; all where it is left out. */
  readonly stream?: string
  readonly onPacket?: (packet: Packet) => void
}

/** A packet: its stream's index, when it is shown, s by the file's own clock, and whether it is a key frame's. */
export interface Packet {
  readonly index: number
  readonly shown: number | undefined
  readonly isKey: boolean
}

/** Looks for the latest ends of streams in ffprobe's intervals. Nothing is decoded. */
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
      // AVI tells only when packets are stored.
      const begins = finiteNumber(shown) ?? finiteNumber(stored)
      // An edit list leaves out what is discarded.
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

/** ffprobe writes N/A where nothing is told. */
function finiteNumber(text: string | undefined): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
