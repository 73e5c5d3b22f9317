import * as z from 'zod'
import { askFfprobe, parse } from '../../src/engines/ffmpeg/ffprobe.ts'
import { firstPictures } from '../../src/engines/ffmpeg/first-pictures.ts'
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

/** What a new picture of a video lacks, in sentences. */
export async function lostOf(path: string, { signal }: Pick<Reading, 'signal'>): Promise<readonly string[]> {
  const entries = 'stream_side_data=side_data_type:frame_side_data=side_data_type'
  // Captions go with every picture from the first on.
  const question = [...firstPictures, '-show_entries', entries]
  const { streams, frames } = parse(answer, (await askFfprobe(path, question, { signal })).text)
  const found = [...streams, ...frames].flatMap(({ side_data_list }) => side_data_list)
  const types = new Set(found.map(({ side_data_type }) => side_data_type))
  return Object.entries(ends).flatMap(([type, sentence]) => (types.has(type) ? [sentence] : []))
}
