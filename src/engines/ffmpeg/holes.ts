import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { queryFfprobe, parseFfprobe, type ProbeOptions } from './ffprobe.ts'
import { readLastPacketEnd } from './stream-ends.ts'

/** A time span in a file, seconds. */
interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** A file and its probed facts. */
interface ProbedFile {
  readonly path: string
  readonly facts: Pick<MediaFacts, 'video' | 'audio'>
}

/**
 * Returns whether a span without pictures is intentional: no picture is coded in it, and the file continues
 * at least to its start. Returns false if pictures are damaged or the file is truncated. Decodes nothing.
 */
export async function isPictureGap(
  { path, facts }: ProbedFile,
  span: TimeSpan,
  options: ProbeOptions,
): Promise<boolean> {
  try {
    if (await hasPictures(path, span, options)) return false
    return (await readLastPacketEnd(path, facts, options)) >= span.from * 1000
  } catch (error) {
    // The span contains too many packets to list.
    if (error instanceof MediaError && error.code === 6017) return true
    throw error
  }
}

const fileStart = z.object({ format: z.object({ start_time: z.coerce.number().catch(0) }) })
const picturePackets = z.object({
  packets: z
    .array(z.object({ pts_time: z.coerce.number().optional(), size: z.coerce.number().default(0) }))
    .default([]),
})

/** Largest distance between storage order and display order of pictures, seconds. */
const reorderingSeconds = 1

/** Returns whether a picture is coded in a span. An empty packet repeats the previous picture. */
async function hasPictures(path: string, { from, to }: TimeSpan, options: ProbeOptions): Promise<boolean> {
  const ask = async (question: readonly string[]) => (await queryFfprobe(path, question, options)).text
  const { format } = parseFfprobe(fileStart, await ask(['-show_entries', 'format=start_time']))
  const [first, end] = [from + format.start_time, to + format.start_time]
  const question = ['-select_streams', 'V:0', '-show_entries', 'packet=pts_time,size']
  const found = await ask([...question, '-read_intervals', `${first}%${end + reorderingSeconds}`])
  return parseFfprobe(picturePackets, found).packets.some(
    ({ pts_time = -Infinity, size }) => size > 0 && pts_time >= first && pts_time < end,
  )
}
