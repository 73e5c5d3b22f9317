import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import { wavHeaderDuration } from './wav-length.ts'
import {
  readStreamEnds,
  lastPacketEnd,
  headerEnd,
  type StreamExtent,
  type StreamExtents,
} from './stream-ends.ts'

/** Tolerance for rounded headers and for a last frame or packet without a duration, ms. */
const tolerance = 500

/** Share of a file's duration that may be missing before the file counts as truncated, 0 to 1. */
const missingShare = 0.01

/** Time limit, ms. A file that does not support seeking would otherwise be read completely. */
const packetTimeoutMs = 10_000

interface CorrectByPacketsOptions extends ProbeOptions {
  /** Packet ends that were already read. */
  readonly seen?: StreamExtents | undefined
}

/**
 * Corrects facts with the actual packets. Sets `cut_off_ms` if the file ends before its header says, and
 * extends durations if packets continue after that end. Returns the facts unchanged if the packets cannot be
 * read in time. Decodes nothing.
 */
export async function correctByPackets(
  path: string,
  facts: MediaFacts,
  options: CorrectByPacketsOptions,
): Promise<MediaFacts> {
  if (isStill(facts.container)) return facts
  const cutOff = facts.container === 'wav' ? await cutOffWav(path, facts) : undefined
  if (cutOff) return cutOff
  const patience = AbortSignal.timeout(packetTimeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience
  try {
    const streams = options.seen ?? (await readStreamEnds(path, facts, { signal }))
    const [told, end] = [headerEnd(streams), lastPacketEnd(streams)]
    if (isTruncated(told, end)) return { ...facts, cut_off_ms: Math.round(end) }
    return extendDurations(facts, streams)
  } catch (error) {
    const unreadable = error instanceof MediaError && error.code === 6017
    if (unreadable || error === patience.reason) return facts
    throw error
  }
}

function isTruncated(told: number, end: number): boolean {
  return end < told - tolerance - missingShare * told
}

/**
 * Detects a truncated WAV. ffprobe derives a WAV's duration from its bytes, so the header is read separately.
 */
async function cutOffWav(path: string, facts: MediaFacts): Promise<MediaFacts | undefined> {
  const told = Math.round((await wavHeaderDuration(path)) ?? 0)
  if (!isTruncated(told, facts.duration_ms)) return undefined
  const audio = facts.audio.map((one) => ({ ...one, duration_ms: told }))
  return { ...facts, duration_ms: told, audio, cut_off_ms: facts.duration_ms }
}

/** Extends durations beyond the header. Some headers are written before the recording is complete. */
function extendDurations(facts: MediaFacts, streams: StreamExtents): MediaFacts {
  const longer = (told: number, real: number) => (real > told + tolerance ? Math.round(real) : told)
  const lasts = (told: number, { startMs: begins, endMs: ends = begins }: StreamExtent) =>
    longer(told, ends - begins)
  const { picture, sounds } = streams
  return {
    ...facts,
    duration_ms: longer(facts.duration_ms, lastPacketEnd(streams)),
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
