import type { MediaFacts } from '../../contract/media-facts.ts'
import { maxDurationMs } from './facts.ts'
import { listWithFfprobe, type ProbeOptions } from './ffprobe.ts'

/** Where the search for the last packets starts, in ms before the end of the file. */
export const tailMs = 1000

/** Number of sections in which the last packets of a truncated file are searched. */
const searchParts = 16

type StreamFacts = Pick<MediaFacts, 'video' | 'audio'>

/** Times of a stream: start and duration by its facts, end by its packets, ms from the start of the file. */
export interface StreamExtent {
  readonly startMs: number
  readonly durationMs: number
  readonly endMs: number | undefined
  /** Number of packets read. */
  readonly packets: number
}

/** The picture and audio streams of a file, in the order of its facts. */
export interface StreamExtents {
  readonly picture: StreamExtent | undefined
  readonly sounds: readonly StreamExtent[]
}

/** Finds the last packets of a file's picture and audio streams. Decodes nothing. */
export async function readStreamEnds(
  path: string,
  facts: StreamFacts,
  options: ProbeOptions,
): Promise<StreamExtents> {
  // If the header's end is too early, reading everything after it would take long.
  const beyondEnd = await readPacketEnds(path, intervalsBeyondEnd(facts), options)
  const atEnd = streamExtents(beyondEnd, facts)
  const readFrom = async (times: readonly number[], interval: (ms: number) => string) => {
    const intervals = times.map((time) => interval(beyondEnd.start * 1000 + time))
    return streamExtents(await readPacketEnds(path, intervals, options), facts)
  }
  const end = headerEnd(atEnd)
  const last = lastPacketEnd(atEnd)
  const tail = await readFrom([last > end ? last : Math.max(0, end - tailMs)], intervalFrom)
  if (lastPacketEnd(tail) > 0) return tail
  const times = Array.from({ length: searchParts }, (_, index) => (index * end) / searchParts)
  const sections = await readFrom(times, firstPacketFrom)
  const rest =
    lastPacketEnd(sections) > 0 ? await readFrom([lastPacketEnd(sections)], intervalFrom) : sections
  return lastPacketEnd(rest) > 0 ? rest : sections
}

/** Returns the latest end of a picture or audio packet, ms from the start of the file. */
export async function readLastPacketEnd(
  path: string,
  facts: StreamFacts,
  options: ProbeOptions,
): Promise<number> {
  return lastPacketEnd(await readStreamEnds(path, facts, options))
}

function allExtents({ picture, sounds }: StreamExtents): readonly StreamExtent[] {
  return picture ? [picture, ...sounds] : sounds
}

/** Returns the end of a file according to its header, ms. */
export function headerEnd(streams: StreamExtents): number {
  return Math.max(0, ...allExtents(streams).map(({ startMs, durationMs }) => startMs + durationMs))
}

/** Returns the end of the last packet, ms. */
export function lastPacketEnd(streams: StreamExtents): number {
  return Math.max(0, ...allExtents(streams).map(({ endMs = 0 }) => endMs))
}

/** Returns the number of packets read from all streams. */
export function packetCount(streams: StreamExtents): number {
  return allExtents(streams).reduce((sum, { packets }) => sum + packets, 0)
}

/** Returns intervals beyond the end stated in the header. A seek there reaches the last key frame. */
export function intervalsBeyondEnd({ video, audio }: StreamFacts): string[] {
  const declaredMs = Math.max(1, video?.duration_ms ?? 0, ...audio.map((one) => one.duration_ms))
  return timesAfter(declaredMs).map(firstPacketFrom)
}

/** Returns times after a time in ms, each twice the previous one. */
function timesAfter(time: number): number[] {
  const times: number[] = []
  for (let later = 2 * time; later < maxDurationMs; later *= 2) times.push(later)
  return [...times, maxDurationMs]
}

/** Returns ffprobe's read interval from a time in ms to the end of the file. */
export function intervalFrom(ms: number): string {
  return `${(ms / 1000).toFixed(3)}%`
}

function firstPacketFrom(ms: number): string {
  return `${intervalFrom(ms)}+#1`
}

/** Returns whether a stream is video and not a cover. The first such stream is the picture. */
export function isPicturePackets({ type, isCover }: StreamEnd): boolean {
  return type === 'video' && !isCover
}

/** Combines the packet ends of a file's streams with their times according to the facts. */
export function streamExtents({ streams, start }: PacketEnds, { video, audio }: StreamFacts): StreamExtents {
  const extent = ({ endSeconds, packets }: StreamEnd, facts: StreamTimes): StreamExtent => ({
    packets,
    startMs: facts.start_ms,
    durationMs: facts.duration_ms,
    endMs: endSeconds === undefined ? undefined : (endSeconds - start) * 1000,
  })
  const picture = streams.find(isPicturePackets)
  const sounds = streams.filter(({ type }) => type === 'audio')
  return {
    picture: picture && video ? extent(picture, video) : undefined,
    sounds: audio.flatMap((one, index) => {
      const sound = sounds[index]
      return sound ? [extent(sound, one)] : []
    }),
  }
}

/** Start and duration of a stream according to its facts. */
type StreamTimes = Pick<MediaFacts['audio'][number], 'start_ms' | 'duration_ms'>

/** A stream of a file and the end of its packets. */
interface StreamEnd {
  readonly index: number
  /** Type by ffprobe's names. */
  readonly type: string
  readonly isCover: boolean
  /**
   * Latest end of the packets read, excluding discarded ones, in seconds of the file's own clock. Undefined
   * if none.
   */
  readonly endSeconds: number | undefined
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
  readonly presentationSeconds: number | undefined
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
  const args = [
    ...(stream === undefined ? [] : ['-select_streams', stream]),
    ...['-read_intervals', intervals.join(','), '-show_entries', packetEntries],
  ]
  await listWithFfprobe(path, args, {
    signal,
    onEntry([section, ...fields]) {
      if (section === 'format') start = finiteNumber(fields[0]) ?? 0
      const index = Number(fields[0])
      if (section === 'stream') {
        const [, type = '', cover] = fields
        streams.push({ index, type, isCover: cover === '1' })
      }
      const [, presentation, decoding, duration, flags = ''] = fields
      if (section === 'packet')
        onPacket?.({ index, presentationSeconds: finiteNumber(presentation), isKey: flags.includes('K') })
      // AVI has only decoding times.
      const seconds = finiteNumber(presentation) ?? finiteNumber(decoding)
      // Packets that an edit list excludes are flagged as discarded.
      if (section !== 'packet' || seconds === undefined || flags.includes('D')) return
      counts.set(index, (counts.get(index) ?? 0) + 1)
      ends.set(index, Math.max(ends.get(index) ?? -Infinity, seconds + (finiteNumber(duration) ?? 0)))
    },
  })
  const withEnd = (one: (typeof streams)[number]): StreamEnd => ({
    ...one,
    endSeconds: ends.get(one.index),
    packets: counts.get(one.index) ?? 0,
  })
  return { streams: streams.map(withEnd), start }
}

/** Parses a number. ffprobe prints N/A for unknown values. */
function finiteNumber(text: string | undefined): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
