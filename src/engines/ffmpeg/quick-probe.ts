import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { meanDistance, seekSampleTimes } from './key-frames.ts'
import {
  intervalFrom,
  intervalsBeyondEnd,
  isPicturePackets,
  type Packet,
  packetCount,
  type PacketEnds,
  readPacketEnds,
  streamExtents,
  type StreamExtents,
  tailMs,
} from './stream-ends.ts'

/** Result of reading a few packets of a file. */
export interface QuickProbeResult {
  /** Same as the result of `readStreamEnds`. */
  readonly streams: StreamExtents
  /** Same as the result of `meanSeekDistance`, ms. */
  readonly seekMs: number | undefined
}

/** Time limit, ms. An ordinary file takes a tenth of it. Other files use the slower functions. */
const quickProbeTimeoutMs = 3000

/** Limit of packets at the end of a file: more than 20 s of film with several audio streams. */
const maxTailPackets = 8192

/** Packets read per seek. Audio packets may precede the packet of the key frame. */
const packetsPerSeek = 4

/** Largest start time of a file by its own clock, ms. The query is built before the start time is known. */
const maxStartMs = tailMs

/**
 * Reads stream ends and seek distance in one ffprobe process instead of three. Returns undefined if the
 * result is uncertain: no packet near the end, more packets than the limit, a start far from 0, or a timeout.
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
    // More packets than the other intervals can yield: some are from the end. Fewer than the limit: the end
    // was read.
    const isCertain =
      packetCount(streams) > seeks.length * packetsPerSeek + beyond.length && read < maxTailPackets
    if (!isCertain || Math.abs(found.start * 1000) > maxStartMs) return undefined
    return { streams, seekMs: seekDistance(seeks, first, found) }
  } catch (error) {
    if (error instanceof MediaError || error === patience.reason) return undefined
    throw error
  }
}

/** Returns the mean seek distance in ms if a key frame of the picture was found at each sampled time. */
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
