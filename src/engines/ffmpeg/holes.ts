import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { queryFfprobe, parseFfprobe, type ProbeOptions } from './ffprobe.ts'
import { readLastPacketEnd } from './stream-ends.ts'

/** A time of a file, in s. */
interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** A file as it was probed. */
interface ProbedFile {
  readonly path: string
  readonly facts: Pick<MediaFacts, 'video' | 'audio'>
}

/**
 * Whether a file is whole although none of its pictures begins in a span: none is coded there, and its picture or
 * sound goes on until then. False where pictures are damaged, or the file is cut off. Nothing is decoded.
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
    // Too much is there to be listed.
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

/** Pictures are stored up to so long after ones that show later, s. */
const reorderingSeconds = 1

/** Whether a picture is coded in a span; an empty packet repeats the one before. */
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
