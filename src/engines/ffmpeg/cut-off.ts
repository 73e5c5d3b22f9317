import { type FileHandle, open } from 'node:fs/promises'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import type { ProbeOptions } from './ffprobe.ts'
import {
  headerEnd,
  lastPacketEnd,
  readStreamEnds,
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
  readonly streams?: StreamExtents | undefined
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
  const timeout = AbortSignal.timeout(packetTimeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  try {
    const streams = options.streams ?? (await readStreamEnds(path, facts, { signal }))
    const [declaredMs, end] = [headerEnd(streams), lastPacketEnd(streams)]
    if (isTruncated(declaredMs, end)) return { ...facts, cut_off_ms: Math.round(end) }
    return extendDurations(facts, streams)
  } catch (error) {
    const unreadable = error instanceof MediaError && error.code === 6017
    if (unreadable || error === timeout.reason) return facts
    throw error
  }
}

function isTruncated(declaredMs: number, end: number): boolean {
  return end < declaredMs - tolerance - missingShare * declaredMs
}

/**
 * Detects a truncated WAV. ffprobe derives a WAV's duration from its bytes, so the header is read separately.
 */
async function cutOffWav(path: string, facts: MediaFacts): Promise<MediaFacts | undefined> {
  const declaredMs = Math.round((await wavHeaderDuration(path)) ?? 0)
  if (!isTruncated(declaredMs, facts.duration_ms)) return undefined
  const audio = facts.audio.map((one) => ({ ...one, duration_ms: declaredMs }))
  return { ...facts, duration_ms: declaredMs, audio, cut_off_ms: facts.duration_ms }
}

/** Extends durations beyond the header. Some headers are written before the recording is complete. */
function extendDurations(facts: MediaFacts, streams: StreamExtents): MediaFacts {
  const longer = (declaredMs: number, measuredMs: number) =>
    measuredMs > declaredMs + tolerance ? Math.round(measuredMs) : declaredMs
  const duration = (declaredMs: number, { startMs, endMs = startMs }: StreamExtent) =>
    longer(declaredMs, endMs - startMs)
  const { picture, sounds } = streams
  return {
    ...facts,
    duration_ms: longer(facts.duration_ms, lastPacketEnd(streams)),
    video:
      facts.video && picture
        ? { ...facts.video, duration_ms: duration(facts.video.duration_ms, picture) }
        : facts.video,
    audio: facts.audio.map((one, index) => {
      const sound = sounds[index]
      return sound ? { ...one, duration_ms: duration(one.duration_ms, sound) } : one
    }),
  }
}

/** Number of chunks searched for the sound. Files seldom have more than five before it. */
const maxChunks = 100

/** Sizes from here on are placeholders that streams and some recorders do not update when the sound ends. */
const unsetSize = 0x7fff_0000

/**
 * Returns the duration stated in a WAV header, ms. ffprobe counts the existing bytes instead. Returns
 * undefined if the header states none or the file is not a plain WAV.
 */
async function wavHeaderDuration(path: string): Promise<number | undefined> {
  await using file = await open(path)
  const start = await readAt(file, { at: 0, length: 12 })
  if (start?.toString('latin1', 0, 4) !== 'RIFF' || start.toString('latin1', 8) !== 'WAVE') return undefined
  let [at, bytesPerSecond] = [12, 0]
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const head = await readAt(file, { at, length: 22 })
    if (!head) return undefined
    const [name, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    if (name === 'fmt ') bytesPerSecond = byteRate(head)
    if (name === 'data')
      return bytesPerSecond > 0 && size < unsetSize ? (1000 * size) / bytesPerSecond : undefined
    at += 8 + size + (size % 2)
  }
  return undefined
}

/**
 * Returns the bytes per second of a format chunk, or 0 if the value is approximate, as for compressed sound.
 */
function byteRate(chunk: Buffer): number {
  const [samples, bytes, block] = [chunk.readUInt32LE(12), chunk.readUInt32LE(16), chunk.readUInt16LE(20)]
  return bytes === samples * block ? bytes : 0
}

async function readAt(
  file: FileHandle,
  { at, length }: { readonly at: number; readonly length: number },
): Promise<Buffer | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return bytesRead === length ? buffer : undefined
}
