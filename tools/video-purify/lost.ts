import * as z from 'zod'
import { askFfprobe, parse } from '../../src/engines/ffmpeg/ffprobe.ts'
import type { Reading } from './reading.ts'

const sides = z.object({
  side_data_list: z.array(z.object({ side_data_type: z.string().optional() })).default([]),
})
const answer = z.object({ streams: z.array(sides).default([]), frames: z.array(sides).default([]) })

/** What goes with a picture and ends when it is coded anew, by ffprobe's names for it. */
const ends: Readonly<Record<string, string>> = {
  'ATSC A53 Part 4 Closed Captions': 'the captions inside the picture (CEA-608/708) were left out',
  'Spherical Mapping': 'the mark of a 360° picture was left out: players show it flat',
  'Stereo 3D': 'the mark of a stereoscopic picture was left out: players show it as it is coded',
}

/** Pictures that are looked at; captions go with every one from the first on. */
const pictures = 10

/** What a new picture of a video lacks, in sentences. */
export async function lostOf(path: string, { signal }: Pick<Reading, 'signal'>): Promise<readonly string[]> {
  const question = [
    ...['-select_streams', 'V:0', '-read_intervals', `%+#${pictures}`],
    ...['-show_entries', 'stream_side_data=side_data_type:frame_side_data=side_data_type'],
  ]
  const { streams, frames } = parse(answer, (await askFfprobe(path, question, { signal })).text)
  const found = [...streams, ...frames].flatMap(({ side_data_list }) => side_data_list)
  const types = new Set(found.map(({ side_data_type }) => side_data_type))
  return Object.entries(ends).flatMap(([type, sentence]) => (types.has(type) ? [sentence] : []))
}
