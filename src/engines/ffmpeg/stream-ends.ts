import type { MediaFacts } from '../../contract/media-facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { readPacketEnds, type PacketEnds, type StreamEnd } from './packet-ends.ts'
import { maxDurationMs } from './stream-times.ts'

/** Where the last packets of a whole file are looked for, in ms before its end. */
export const tailMs = 1000

/** Into how many parts a file without its end is divided to find the last that is there. */
const searchParts = 16

/** The latest end of a picture or sound packet of a file, ms from its start. */
export async function readLastPacketEnd(
  path: string,
  facts: StreamFacts,
  options: ProbeOptions,
): Promise<number> {
  return lastPacketEnd(await readStreamEnds(path, facts, options))
}

export type StreamFacts = Pick<MediaFacts, 'video' | 'audio'>

/** A stream as its facts tell it and as its packets are: where it begins and ends from the file's start, its length, ms. */
export interface StreamExtent {
  readonly startMs: number
  readonly durationMs: number
  readonly endMs: number | undefined
  /** How many packets were read. */
  readonly packets: number
}

/** The picture and the sounds of a file, as its facts have them. */
export interface StreamExtents {
  readonly picture: StreamExtent | undefined
  readonly sounds: readonly StreamExtent[]
}

function allExtents({ picture, sounds }: StreamExtents): readonly StreamExtent[] {
  return picture ? [picture, ...sounds] : sounds
}

/** When its header says a file ends, ms. */
export function headerEnd(streams: StreamExtents): number {
  return Math.max(0, ...allExtents(streams).map(({ startMs: begins, durationMs: told }) => begins + told))
}

/** When the last of its packets ends, ms. */
export function lastPacketEnd(streams: StreamExtents): number {
  return Math.max(0, ...allExtents(streams).map(({ endMs: ends = 0 }) => ends))
}

/** How many of their packets were read. */
export function packetCount(streams: StreamExtents): number {
  return allExtents(streams).reduce((sum, { packets }) => sum + packets, 0)
}

/** Looks for the last packets of a file's picture and sounds. Nothing is decoded. */
export async function readStreamEnds(
  path: string,
  facts: StreamFacts,
  options: ProbeOptions,
): Promise<StreamExtents> {
  // To read all from where a header wrongly ends would take long.
  const beyond = await readPacketEnds(path, intervalsBeyondEnd(facts), options)
  const atEnd = streamExtents(beyond, facts)
  const read = async (places: readonly number[], question: (place: number) => string) => {
    const intervals = places.map((place) => question(beyond.start * 1000 + place))
    return streamExtents(await readPacketEnds(path, intervals, options), facts)
  }
  const end = headerEnd(atEnd)
  const last = lastPacketEnd(atEnd)
  const tail = await read([last > end ? last : Math.max(0, end - tailMs)], intervalFrom)
  if (lastPacketEnd(tail) > 0) return tail
  const places = Array.from({ length: searchParts }, (_, index) => (index * end) / searchParts)
  const found = await read(places, firstPacketFrom)
  const rest = lastPacketEnd(found) > 0 ? await read([lastPacketEnd(found)], intervalFrom) : found
  return lastPacketEnd(rest) > 0 ? rest : found
}

/** Intervals beyond the end that a header tells, where a file is sought to its last key frame. */
export function intervalsBeyondEnd({ video, audio }: StreamFacts): string[] {
  const told = Math.max(1, video?.duration_ms ?? 0, ...audio.map((one) => one.duration_ms))
  return timesAfter(told).map(firstPacketFrom)
}

/** Places after a time, each as far again, ms. */
function timesAfter(time: number): number[] {
  const places: number[] = []
  for (let place = 2 * time; place < maxDurationMs; place *= 2) places.push(place)
  return [...places, maxDurationMs]
}

export function intervalFrom(ms: number): string {
  return `${(ms / 1000).toFixed(3)}%`
}

export function firstPacketFrom(ms: number): string {
  return `${intervalFrom(ms)}+#1`
}

/** Whether a stream is no cover, but a video's picture, if it is the first that is. */
export function isPicturePackets({ type, isCover }: StreamEnd): boolean {
  return type === 'video' && !isCover
}

export function streamExtents({ streams, start }: PacketEnds, { video, audio }: StreamFacts): StreamExtents {
  const held = ({ ends, packets }: StreamEnd, facts: StreamTimes): StreamExtent => ({
    packets,
    startMs: facts.start_ms,
    durationMs: facts.duration_ms,
    endMs: ends === undefined ? undefined : (ends - start) * 1000,
  })
  const picture = streams.find(isPicturePackets)
  const sounds = streams.filter(({ type }) => type === 'audio')
  return {
    picture: picture && video ? held(picture, video) : undefined,
    sounds: audio.flatMap((one, index) => {
      const sound = sounds[index]
      return sound ? [held(sound, one)] : []
    }),
  }
}

/** A stream as its facts tell its times. */
type StreamTimes = Pick<MediaFacts['audio'][number], 'start_ms' | 'duration_ms'>
