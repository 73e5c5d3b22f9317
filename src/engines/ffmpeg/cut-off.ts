import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill } from './facts.ts'
import { askFfprobe, parse, type ProbeOptions } from './ffprobe.ts'

/** Headers round, and a last frame or packet may not tell how long it lasts: as a length, and as a share of the file's. */
const tolerance = { ms: 500, share: 0.01 }

/** Where the last packets of a whole file are looked for, in ms before its end. */
const tailMs = 1000

/** A file that cannot be sought in would be read whole. */
const patienceMs = 10_000

/** Into how many parts a file without its end is divided to find the last that is there. */
const parts = 16

/**
 * Where picture and sound of a file end, in ms, when it was cut off before the end that its header
 * tells; undefined for a whole file, and where that cannot be told. Nothing is decoded.
 */
export async function findCut(
  path: string,
  { container, video, audio }: MediaFacts,
  options: ProbeOptions,
): Promise<number | undefined> {
  if (isStill(container)) return undefined
  const told = toldLength({ video, audio })
  const patience = AbortSignal.timeout(patienceMs)
  const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience
  try {
    const end = await endOfPackets(path, told, { signal })
    return end + tolerance.ms + tolerance.share * told < told ? Math.round(end) : undefined
  } catch (error) {
    const unreadable = error instanceof MediaError && error.code === 6017
    if (unreadable || error === patience.reason) return undefined
    throw error
  }
}

/** Where picture and sound end by the header, in ms. */
export function toldLength({ video, audio }: Pick<MediaFacts, 'video' | 'audio'>): number {
  return Math.max(video?.duration_ms ?? 0, ...audio.map(({ duration_ms }) => duration_ms))
}

/** The latest end of a picture or sound packet of a file, in ms, looked for from the end on that its header tells. */
export async function endOfPackets(path: string, told: number, options: ProbeOptions): Promise<number> {
  const tail = await readPackets(path, [`${Math.max(0, told - tailMs) / 1000}%`], options)
  if (tail !== undefined) return tail
  const places = Array.from({ length: parts }, (_, index) => (index * told) / parts)
  const last = await readPackets(
    path,
    places.map((place) => `${place / 1000}%+#1`),
    options,
  )
  return last === undefined ? 0 : ((await readPackets(path, [`${last / 1000}%`], options)) ?? last)
}

const answer = z.object({
  packets: z
    .array(
      z.object({
        codec_type: z.string().optional(),
        pts_time: z.coerce.number().optional(),
        duration_time: z.coerce.number().default(0),
      }),
    )
    .default([]),
  format: z.object({ start_time: z.coerce.number().catch(0) }),
})

/** The latest end of a picture or sound packet in ffprobe's intervals, in ms from the file's start; undefined when there is none. */
async function readPackets(
  path: string,
  intervals: readonly string[],
  options: ProbeOptions,
): Promise<number | undefined> {
  const entries = 'packet=codec_type,pts_time,duration_time:format=start_time'
  const { text } = await askFfprobe(
    path,
    ['-read_intervals', intervals.join(','), '-show_entries', entries],
    options,
  )
  const { packets, format } = parse(answer, text)
  const ends = packets.flatMap(({ codec_type, pts_time, duration_time }) =>
    pts_time !== undefined && (codec_type === 'video' || codec_type === 'audio')
      ? [pts_time + duration_time]
      : [],
  )
  return ends.length > 0
    ? (ends.reduce((latest, end) => Math.max(latest, end)) - format.start_time) * 1000
    : undefined
}
