import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { meanWay, seekPlaces } from './key-frames.ts'
import { packetEnds, type Packet, type PacketEnds } from './packet-ends.ts'
import { allFrom, beyondEnd, isPicture, packetsOf, streamsOf, tailMs, type Streams } from './stream-ends.ts'

/** What a glance at a file's packets tells. */
export interface Glance {
  /** As `endsOfStreams` finds them. */
  readonly streams: Streams
  /** As `meanSeek` finds it. */
  readonly seekMs: number | undefined
}

/** An ordinary file answers in a tenth of it; others are looked at with more patience. */
const patienceMs = 3000

/** More packets than the end of an ordinary file has after a key frame: 20 s of film with several sounds. */
const longestTail = 8192

/** Where a video is sought, packets of sound may come before that of the key frame. */
const packetsThere = 4

/** How far from 0 a file may begin by its own clock, by which it is asked before that is known, ms. */
const furthestStart = tailMs

/**
 * Asks in one start of ffprobe what `endsOfStreams` and `meanSeek` ask in three. Undefined where that does not tell for
 * certain: where it met no packet of the end or more than it reads, where the file begins far from 0, or takes long.
 */
export async function glance(
  path: string,
  facts: MediaFacts,
  { signal }: ProbeOptions,
): Promise<Glance | undefined> {
  if (isStill(facts.container)) return undefined
  const seeks = facts.video ? seekPlaces(facts.video.duration_ms) : []
  const beyond = beyondEnd(facts)
  const ends = [facts.video, ...facts.audio].map((one) => (one ? one.start_ms + one.duration_ms : 0))
  const tail = Math.max(0, Math.max(...ends) - tailMs - furthestStart)
  const patience = AbortSignal.timeout(patienceMs)
  const first: Packet[] = []
  let read = 0
  try {
    const places = seeks.map((ms) => `${allFrom(ms)}+#${packetsThere}`)
    const intervals = [...places, `${allFrom(tail)}+#${longestTail}`, ...beyond]
    const found = await packetEnds(path, intervals, {
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
      onPacket(packet) {
        read += 1
        if (first.length < seeks.length * packetsThere) first.push(packet)
      },
    })
    const streams = streamsOf(found, facts)
    // More than of all other places: some are of the end. Fewer than were asked for: it was read to its last.
    const isCertain = packetsOf(streams) > seeks.length * packetsThere + beyond.length && read < longestTail
    if (!isCertain || Math.abs(found.start * 1000) > furthestStart) return undefined
    return { streams, seekMs: wayOf(seeks, first, found) }
  } catch (error) {
    if (error instanceof MediaError || error === patience.reason) return undefined
    throw error
  }
}

/** The mean way, where a key frame of the picture was found at each place. */
function wayOf(
  seeks: readonly number[],
  first: readonly Packet[],
  { streams, start }: PacketEnds,
): number | undefined {
  const picture = streams.find(isPicture)
  const isIts = ({ index, isKey }: Packet) => isKey && index === picture?.index
  const isFound = seeks.every((_, place) =>
    first.slice(place * packetsThere, (place + 1) * packetsThere).some(isIts),
  )
  if (!isFound || seeks.length === 0) return undefined
  return meanWay(
    seeks,
    first.filter(isIts).flatMap(({ shown }) => (shown === undefined ? [] : [(shown - start) * 1000])),
  )
}
