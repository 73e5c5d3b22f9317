import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import { parseFfprobe, type ProbeOptions, queryFfprobe } from './ffprobe.ts'
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
interface QuickProbeResult {
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
  const beyondEnd = intervalsBeyondEnd(facts)
  const ends = [facts.video, ...facts.audio].map((one) => (one ? one.start_ms + one.duration_ms : 0))
  const tail = Math.max(0, Math.max(...ends) - tailMs - maxStartMs)
  const timeout = AbortSignal.timeout(quickProbeTimeoutMs)
  const first: Packet[] = []
  let read = 0
  try {
    const seekIntervals = seeks.map((ms) => `${intervalFrom(ms)}+#${packetsPerSeek}`)
    const intervals = [...seekIntervals, `${intervalFrom(tail)}+#${maxTailPackets}`, ...beyondEnd]
    const found = await readPacketEnds(path, intervals, {
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      onPacket(packet) {
        read += 1
        if (first.length < seeks.length * packetsPerSeek) first.push(packet)
      },
    })
    const streams = streamExtents(found, facts)
    // More packets than the other intervals can yield: some are from the end. Fewer than the limit: the end
    // was read.
    const isCertain =
      packetCount(streams) > seeks.length * packetsPerSeek + beyondEnd.length && read < maxTailPackets
    if (!isCertain || Math.abs(found.start * 1000) > maxStartMs) return undefined
    return { streams, seekMs: seekDistance(seeks, first, found) }
  } catch (error) {
    if (error instanceof MediaError || error === timeout.reason) return undefined
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
  const isPictureKeyFrame = ({ index, isKey }: Packet) => isKey && index === picture?.index
  const isFound = seeks.every((_, index) =>
    first.slice(index * packetsPerSeek, (index + 1) * packetsPerSeek).some(isPictureKeyFrame),
  )
  if (!isFound || seeks.length === 0) return undefined
  return meanDistance(
    seeks,
    first
      .filter(isPictureKeyFrame)
      .flatMap(({ presentationSeconds: shown }) => (shown === undefined ? [] : [(shown - start) * 1000])),
  )
}

const keyFramePackets = z.object({
  packets: z.array(z.object({ pts_time: z.coerce.number().optional() })).default([]),
  format: z.object({ start_time: z.coerce.number().catch(0) }),
})

/**
 * Returns the key frame from which each time is decoded, ms, according to the file's index, or the time
 * itself if none is known. Uses one process that seeks and decodes nothing. The result is an estimate,
 * because the seek positions ignore a start time other than 0.
 */
export async function keyFramesBefore(
  path: string,
  times: readonly number[],
  options: ProbeOptions,
): Promise<number[]> {
  // Each seek reads the packet of the key frame.
  const intervals = times.map((time) => `${time / 1000}%+#1`).join(',')
  const args = ['-select_streams', 'V:0', '-read_intervals', intervals]
  try {
    const { text } = await queryFfprobe(
      path,
      [...args, '-show_entries', 'packet=pts_time:format=start_time'],
      options,
    )
    const { packets, format } = parseFfprobe(keyFramePackets, text)
    const keyFrames = packets.flatMap(({ pts_time }) =>
      pts_time === undefined ? [] : [(pts_time - format.start_time) * 1000],
    )
    return lastKeyFrames(times, keyFrames)
  } catch (error) {
    if (!(error instanceof MediaError) || error.code !== 6017) throw error
    return [...times]
  }
}

/** Returns the last key frame at or before each time, ms, or the time itself if there is none. */
function lastKeyFrames(times: readonly number[], keyFrames: readonly number[]): number[] {
  return times.map((time) => {
    const before = keyFrames.filter((one) => one <= time)
    return before.length > 0 ? Math.max(...before) : time
  })
}

/** Number of times at which the seek distance is sampled. The mean is off by 10 to 20 %. */
const seekSamples = 8

/** Time limit, ms. A file that does not support seeking would otherwise be read completely. */
const seekTimeoutMs = 10_000

/**
 * Returns the mean distance from the preceding key frame to a time of the video, ms, or undefined after a
 * timeout.
 */
export async function meanSeekDistance(
  path: string,
  durationMs: number,
  options: ProbeOptions,
): Promise<number | undefined> {
  const times = seekSampleTimes(durationMs)
  const timeout = AbortSignal.timeout(seekTimeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  try {
    return meanDistance(times, await keyFramesBefore(path, times, { signal }))
  } catch (error) {
    if (error === timeout.reason) return undefined
    throw error
  }
}

/** Returns the times at which the seek distance is sampled, ms, evenly spaced. */
function seekSampleTimes(durationMs: number): number[] {
  return Array.from({ length: seekSamples }, (_, index) => ((index + 0.5) / seekSamples) * durationMs)
}

/** Returns the mean distance from the last preceding key frame to each time, ms. */
function meanDistance(times: readonly number[], keyFrames: readonly number[]): number {
  const before = lastKeyFrames(times, keyFrames)
  return times.reduce((sum, time, index) => sum + time - (before[index] ?? time), 0) / times.length
}
