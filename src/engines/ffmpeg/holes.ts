import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { askFfprobe, parse, type ProbeOptions } from './ffprobe.ts'
import { endOfPackets } from './stream-ends.ts'

/** A time of a file, in s. */
interface Span {
  readonly from: number
  readonly to: number
}

/** A file as it was probed. */
interface Probed {
  readonly path: string
  readonly facts: Pick<MediaFacts, 'video' | 'audio'>
}

/**
 * Whether a file is whole although none of its pictures begins in a span: none is coded there, and its picture or
 * sound goes on until then. False where pictures are damaged, or the file is cut off. Nothing is decoded.
 */
export async function isHole({ path, facts }: Probed, span: Span, options: ProbeOptions): Promise<boolean> {
  try {
    if (await hasPictures(path, span, options)) return false
    return (await endOfPackets(path, facts, options)) >= span.from * 1000
  } catch (error) {
    // Too much is there to be listed.
    if (error instanceof MediaError && error.code === 6017) return true
    throw error
  }
}

const start = z.object({ format: z.object({ start_time: z.coerce.number().catch(0) }) })
const pictures = z.object({
  packets: z
    .array(z.object({ pts_time: z.coerce.number().optional(), size: z.coerce.number().default(0) }))
    .default([]),
})

/** Pictures are stored up to so long after ones that show later, s. */
const reordering = 1

/** Whether a picture is coded in a span; an empty packet repeats the one before. */
async function hasPictures(path: string, { from, to }: Span, options: ProbeOptions): Promise<boolean> {
  const ask = async (question: readonly string[]) => (await askFfprobe(path, question, options)).text
  const { format } = parse(start, await ask(['-show_entries', 'format=start_time']))
  const [first, end] = [from + format.start_time, to + format.start_time]
  const question = ['-select_streams', 'V:0', '-show_entries', 'packet=pts_time,size']
  const found = await ask([...question, '-read_intervals', `${first}%${end + reordering}`])
  return parse(pictures, found).packets.some(
    ({ pts_time = -Infinity, size }) => size > 0 && pts_time >= first && pts_time < end,
  )
}
