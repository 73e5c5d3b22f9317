import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { packetEnds, type PacketEnds } from './packet-ends.ts'
import { longestMs } from './stream-times.ts'

/** Headers round, and a last frame or packet may not tell how long it lasts, ms. */
const tolerance = 500

/** Of a long file so much of its length may be missing before it is called cut off. */
const missingShare = 0.01

/** Where the last packets of a whole file are looked for, in ms before its end. */
const tailMs = 1000

/** A file that cannot be sought in would be read whole. */
const patienceMs = 10_000

/** Into how many parts a file without its end is divided to find the last that is there. */
const parts = 16

/**
 * Facts held against the packets that are there: of a file that was cut off before the end its header tells, with where
 * that is; of one that goes on after it, with how long it really lasts. As they are where that cannot be told. Nothing
 * is decoded.
 */
export async function heldToPackets(
  path: string,
  facts: MediaFacts,
  options: ProbeOptions,
): Promise<MediaFacts> {
  if (isStill(facts.container)) return facts
  const patience = AbortSignal.timeout(patienceMs)
  const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience
  try {
    const streams = await endsOfStreams(path, facts, { signal })
    const [told, end] = [toldEnd(streams), latest(streams)]
    if (end < told - tolerance - missingShare * told) return { ...facts, cut_off_ms: Math.round(end) }
    return lengthened(facts, streams)
  } catch (error) {
    const unreadable = error instanceof MediaError && error.code === 6017
    if (unreadable || error === patience.reason) return facts
    throw error
  }
}

/** Some headers were written before the rest of the file, as of a recording that is still going on. */
function lengthened(facts: MediaFacts, streams: Streams): MediaFacts {
  const longer = (told: number, real: number) => (real > told + tolerance ? Math.round(real) : told)
  const lasts = (told: number, { begins, ends = begins }: Held) => longer(told, ends - begins)
  const { picture, sounds } = streams
  return {
    ...facts,
    duration_ms: longer(facts.duration_ms, latest(streams)),
    video:
      facts.video && picture
        ? { ...facts.video, duration_ms: lasts(facts.video.duration_ms, picture) }
        : facts.video,
    audio: facts.audio.map((one, index) => {
      const sound = sounds[index]
      return sound ? { ...one, duration_ms: lasts(one.duration_ms, sound) } : one
    }),
  }
}

/** The latest end of a picture or sound packet of a file, ms from its start. */
export async function endOfPackets(path: string, facts: Lasting, options: ProbeOptions): Promise<number> {
  return latest(await endsOfStreams(path, facts, options))
}

type Lasting = Pick<MediaFacts, 'video' | 'audio'>

/** A stream as its facts tell it and as its packets are: where it begins and ends from the file's start, its length, ms. */
interface Held {
  readonly begins: number
  readonly told: number
  readonly ends: number | undefined
}

/** The picture and the sounds of a file, as its facts have them. */
interface Streams {
  readonly picture: Held | undefined
  readonly sounds: readonly Held[]
}

function all({ picture, sounds }: Streams): readonly Held[] {
  return picture ? [picture, ...sounds] : sounds
}

function toldEnd(streams: Streams): number {
  return Math.max(0, ...all(streams).map(({ begins, told }) => begins + told))
}

function latest(streams: Streams): number {
  return Math.max(0, ...all(streams).map(({ ends = 0 }) => ends))
}

async function endsOfStreams(path: string, facts: Lasting, options: ProbeOptions): Promise<Streams> {
  const told = Math.max(1, facts.video?.duration_ms ?? 0, ...facts.audio.map((one) => one.duration_ms))
  // Beyond its end a file is sought to its last key frame; to read all from where a header wrongly ends would take long.
  const beyond = await packetEnds(path, placesAfter(told).map(firstPacketAt), options)
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

/** Places after a time, each as far again, ms. */
function placesAfter(time: number): number[] {
  const places: number[] = []
  for (let place = 2 * time; place < longestMs; place *= 2) places.push(place)
  return [...places, longestMs]
}

function allFrom(ms: number): string {
  return `${(ms / 1000).toFixed(3)}%`
}

function firstPacketAt(ms: number): string {
  return `${allFrom(ms)}+#1`
}

function streamsOf({ streams, start }: PacketEnds, { video, audio }: Lasting): Streams {
  const held = ({ ends }: PacketEnds['streams'][number], facts: Timed): Held => ({
    begins: facts.start_ms,
    told: facts.duration_ms,
    ends: ends === undefined ? undefined : (ends - start) * 1000,
  })
  const picture = streams.find(({ type, isCover }) => type === 'video' && !isCover)
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
type Timed = Pick<MediaFacts['audio'][number], 'start_ms' | 'duration_ms'>
