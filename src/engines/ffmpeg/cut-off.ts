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

/** Headers round, and a last frame or packet may not tell how long it lasts, ms. */
const tolerance = 500

/** Of a long file so much of its length may be missing before it is called cut off. */
const missingShare = 0.01

/** A file that cannot be sought in would be read whole. */
const packetTimeoutMs = 10_000

interface CorrectByPacketsOptions extends ProbeOptions {
  /** What is known of its packets already. */
  readonly seen?: StreamExtents | undefined
}

/**
 * Facts held against the packets that are there: of a file that was cut off before the end its header tells, with where
 * that is; of one that goes on after it, with how long it really lasts. As they are where that cannot be told. Nothing
 * is decoded.
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

/** ffprobe tells of a WAV the bytes that are there: what its header tells of, where there should be more. */
async function cutOffWav(path: string, facts: MediaFacts): Promise<MediaFacts | undefined> {
  const told = Math.round((await wavHeaderDuration(path)) ?? 0)
  if (!isTruncated(told, facts.duration_ms)) return undefined
  const audio = facts.audio.map((one) => ({ ...one, duration_ms: told }))
  return { ...facts, duration_ms: told, audio, cut_off_ms: facts.duration_ms }
}

/** Some headers were written before the rest of the file, as of a recording that is still going on. */
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
