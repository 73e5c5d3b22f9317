import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { packetEnds } from './packet-ends.ts'

/** Headers round, and a last frame or packet may not tell how long it lasts: as a length, and as a share of the file's. */
const tolerance = { ms: 500, share: 0.01 }

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
  const told = toldLength(facts)
  const patience = AbortSignal.timeout(patienceMs)
  const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience
  try {
    const ends = await endsOfPackets(path, told, { signal })
    const end = latest(ends)
    if (differs(told, end) && end < told) return { ...facts, cut_off_ms: Math.round(end) }
    return lengthened(facts, ends)
  } catch (error) {
    const unreadable = error instanceof MediaError && error.code === 6017
    if (unreadable || error === patience.reason) return facts
    throw error
  }
}

function differs(told: number, end: number): boolean {
  return Math.abs(end - told) > tolerance.ms + tolerance.share * told
}

/** Some headers were written before the rest of the file, as of a recording that is still going on. */
function lengthened(facts: MediaFacts, { video, audio }: Ends): MediaFacts {
  const picture = facts.video && video !== undefined ? Math.round(video - facts.video.start_ms) : 0
  const sound = Math.round(audio ?? 0)
  const longer = (told: number, real: number) => (real > told && differs(told, real) ? real : told)
  return {
    ...facts,
    duration_ms: longer(facts.duration_ms, Math.round(latest({ video, audio }))),
    video: facts.video && { ...facts.video, duration_ms: longer(facts.video.duration_ms, picture) },
    // Of several it is not known which goes on.
    audio: facts.audio.map((one) => ({
      ...one,
      duration_ms: facts.audio.length === 1 ? longer(one.duration_ms, sound) : one.duration_ms,
    })),
  }
}

/** Where picture and sound end by the header, in ms. */
export function toldLength({ video, audio }: Pick<MediaFacts, 'video' | 'audio'>): number {
  return Math.max(video?.duration_ms ?? 0, ...audio.map(({ duration_ms }) => duration_ms))
}

/** The latest end of a picture or sound packet of a file, in ms, looked for from the end on that its header tells. */
export async function endOfPackets(path: string, told: number, options: ProbeOptions): Promise<number> {
  return latest(await endsOfPackets(path, told, options))
}

/** Where the packets of picture and sound end, in ms from the file's start; undefined where there are none. */
type Ends = Readonly<Record<'video' | 'audio', number | undefined>>

function latest({ video, audio }: Ends): number {
  return Math.max(video ?? 0, audio ?? 0)
}

async function endsOfPackets(path: string, told: number, options: ProbeOptions): Promise<Ends> {
  const tail = await readPackets(path, [`${Math.max(0, told - tailMs) / 1000}%`], options)
  if (isThere(tail)) return tail
  const places = Array.from({ length: parts }, (_, index) => (index * told) / parts)
  const found = await readPackets(
    path,
    places.map((place) => `${place / 1000}%+#1`),
    options,
  )
  if (!isThere(found)) return found
  const last = await readPackets(path, [`${latest(found) / 1000}%`], options)
  return isThere(last) ? last : found
}

function isThere({ video, audio }: Ends): boolean {
  return video !== undefined || audio !== undefined
}

async function readPackets(path: string, intervals: readonly string[], options: ProbeOptions): Promise<Ends> {
  const { video, audio, start } = await packetEnds(path, intervals, options)
  const fromStart = (seconds: number | undefined) =>
    seconds === undefined ? undefined : (seconds - start) * 1000
  return { video: fromStart(video), audio: fromStart(audio) }
}
