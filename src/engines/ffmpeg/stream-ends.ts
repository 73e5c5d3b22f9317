import type { MediaFacts } from '../../contract/media-facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { packetEnds, type PacketEnds, type StreamEnd } from './packet-ends.ts'
import { longestMs } from './stream-times.ts'

/** Where the last packets of a whole file are looked for, in ms before its end. */
export const tailMs = 1000

/** Into how many parts a file without its end is divided to find the last that is there. */
const parts = 16

/** The latest end of a picture or sound packet of a file, ms from its start. */
export async function endOfPackets(path: string, facts: Lasting, options: ProbeOptions): Promise<number> {
  return latest(await endsOfStreams(path, facts, options))
}

export type Lasting = Pick<MediaFacts, 'video' | 'audio'>

/** A stream as its facts tell it and as its packets are: where it begins and ends from the file's start, its length, ms. */
export interface Held {
  readonly begins: number
  readonly told: number
  readonly ends: number | undefined
  /** How many packets were read. */
  readonly packets: number
}

/** The picture and the sounds of a file, as its facts have them. */
export interface Streams {
  readonly picture: Held | undefined
  readonly sounds: readonly Held[]
}

function all({ picture, sounds }: Streams): readonly Held[] {
  return picture ? [picture, ...sounds] : sounds
}

/** When its header says a file ends, ms. */
export function toldEnd(streams: Streams): number {
  return Math.max(0, ...all(streams).map(({ begins, told }) => begins + told))
}

/** When the last of its packets ends, ms. */
export function latest(streams: Streams): number {
  return Math.max(0, ...all(streams).map(({ ends = 0 }) => ends))
}

/** How many of their packets were read. */
export function packetsOf(streams: Streams): number {
  return all(streams).reduce((sum, { packets }) => sum + packets, 0)
}

/** Looks for the last packets of a file's picture and sounds. Nothing is decoded. */
export async function endsOfStreams(path: string, facts: Lasting, options: ProbeOptions): Promise<Streams> {
  // To read all from where a header wrongly ends would take long.
  const beyond = await packetEnds(path, beyondEnd(facts), options)
  const atEnd = streamsOf(beyond, facts)
  const read = async (places: readonly number[], question: (place: number) => string) => {
    const intervals = places.map((place) => question(beyond.start * 1000 + place))
    return streamsOf(await packetEnds(path, intervals, options), facts)
  }
  const end = toldEnd(atEnd)
  const last = latest(atEnd)
  const tail = await read([last > end ? last : Math.max(0, end - tailMs)], allFrom)
  if (latest(tail) > 0) return tail
  const places = Array.from({ length: parts }, (_, index) => (index * end) / parts)
  const found = await read(places, firstPacketAt)
  const rest = latest(found) > 0 ? await read([latest(found)], allFrom) : found
  return latest(rest) > 0 ? rest : found
}

/** Intervals beyond the end that a header tells, where a file is sought to its last key frame. */
export function beyondEnd({ video, audio }: Lasting): string[] {
  const told = Math.max(1, video?.duration_ms ?? 0, ...audio.map((one) => one.duration_ms))
  return placesAfter(told).map(firstPacketAt)
}

/** Places after a time, each as far again, ms. */
function placesAfter(time: number): number[] {
  const places: number[] = []
  for (let place = 2 * time; place < longestMs; place *= 2) places.push(place)
  return [...places, longestMs]
}

export function allFrom(ms: number): string {
  return `${(ms / 1000).toFixed(3)}%`
}

export function firstPacketAt(ms: number): string {
  return `${allFrom(ms)}+#1`
}

/** Whether a stream is no cover, but a video's picture, if it is the first that is. */
export function isPicture({ type, isCover }: StreamEnd): boolean {
  return type === 'video' && !isCover
}

export function streamsOf({ streams, start }: PacketEnds, { video, audio }: Lasting): Streams {
  const held = ({ ends, packets }: StreamEnd, facts: Told): Held => ({
    packets,
    begins: facts.start_ms,
    told: facts.duration_ms,
    ends: ends === undefined ? undefined : (ends - start) * 1000,
  })
  const picture = streams.find(isPicture)
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
type Told = Pick<MediaFacts['audio'][number], 'start_ms' | 'duration_ms'>
