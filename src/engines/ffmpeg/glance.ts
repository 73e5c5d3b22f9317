import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { meanDistance, seekSampleTimes } from './key-frames.ts'
import { readPacketEnds, type Packet, type PacketEnds } from './packet-ends.ts'
import {
  intervalFrom,
  intervalsBeyondEnd,
  isPicturePackets,
  packetCount,
  streamExtents,
  tailMs,
  type StreamExtents,
} from './stream-ends.ts'

/** What a glance at a file's packets tells. */
export interface QuickProbeResult {
  /** As `endsOfStreams` finds them. */
  readonly streams: StreamExtents
  /** As `meanSeek` finds it. */
  readonly seekMs: number | undefined
}

/** An ordinary file answers in a tenth of it; others are looked at with more patience. */
const quickProbeTimeoutMs = 3000

/** More packets than the end of an ordinary file has after a key frame: 20 s of film with several sounds. */
const maxTailPackets = 8192

/** Where a video is sought, packets of sound may come before that of the key frame. */
const packetsPerSeek = 4

/** How far from 0 a file may begin by its own clock, by which it is asked before that is known, ms. */
const maxStartMs = tailMs

/**
 * Asks in one start of ffprobe what `endsOfStreams` and `meanSeek` ask in three. Undefined where that does not tell for
 * certain: where it met no packet of the end or more than it reads, where the file begins far from 0, or takes long.
 */
export async function quickProbe(
  path: string,
  facts: MediaFacts,
  { signal }: ProbeOptions,
): Promise<QuickProbeResult | undefined> {
  if (isStill(facts.container)) return undefined
  const seeks = facts.video ? seekSampleTimes(facts.video.duration_ms) : []
  const beyond = intervalsBeyondEnd(facts)
  const ends = [facts.video, ...facts.audio].map((one) => (one ? one.start_ms + one.duration_ms : 0))
  const tail = Math.max(0, Math.max(...ends) - tailMs - maxStartMs)
  const patience = AbortSignal.timeout(quickProbeTimeoutMs)
  const first: Packet[] = []
  let read = 0
  try {
    const places = seeks.map((ms) => `${intervalFrom(ms)}+#${packetsPerSeek}`)
    const intervals = [...places, `${intervalFrom(tail)}+#${maxTailPackets}`, ...beyond]
    const found = await readPacketEnds(path, intervals, {
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
      onPacket(packet) {
        read += 1
        if (first.length < seeks.length * packetsPerSeek) first.push(packet)
      },
    })
    const streams = streamExtents(found, facts)
    // More than of all other places: some are of the end. Fewer than were asked for: it was read to its last.
    const isCertain =
      packetCount(streams) > seeks.length * packetsPerSeek + beyond.length && read < maxTailPackets
    if (!isCertain || Math.abs(found.start * 1000) > maxStartMs) return undefined
    return { streams, seekMs: seekDistance(seeks, first, found) }
  } catch (error) {
    if (error instanceof MediaError || error === patience.reason) return undefined
    throw error
  }
}

/** The mean way, where a key frame of the picture was found at each place. */
function seekDistance(
  seeks: readonly number[],
  first: readonly Packet[],
  { streams, start }: PacketEnds,
): number | undefined {
  const picture = streams.find(isPicturePackets)
  const isIts = ({ index, isKey }: Packet) => isKey && index === picture?.index
  const isFound = seeks.every((_, place) =>
    first.slice(place * packetsPerSeek, (place + 1) * packetsPerSeek).some(isIts),
  )
  if (!isFound || seeks.length === 0) return undefined
  return meanDistance(
    seeks,
    first.filter(isIts).flatMap(({ shown }) => (shown === undefined ? [] : [(shown - start) * 1000])),
  )
}
