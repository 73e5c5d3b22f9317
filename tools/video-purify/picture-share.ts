import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { listByFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { hertz } from '../../src/media/nominal-rate.ts'
import type { Stretch } from './part.ts'
import type { Reading } from './reading.ts'

/** Where packets are looked at, as shares of the video, and for how long, s. */
const places = [0, 0.4, 0.8]
const seconds = 10

/** What share of a file's bytes its pictures are, by packets of some places. */
export async function pictureShare(
  { path, rate, first, count }: Pick<Footage, 'path' | 'rate'> & Stretch,
  { signal }: Pick<Reading, 'signal'>,
): Promise<number> {
  const intervals = places.map((place) => `${((first + place * count) / hertz(rate)).toFixed(3)}%+${seconds}`)
  let [pictures, all] = [0, 0]
  await listByFfprobe(
    path,
    ['-read_intervals', intervals.join(','), '-show_entries', 'packet=codec_type,size'],
    {
      signal,
      onEntry([, type, size]) {
        const bytes = Number(size)
        if (!(bytes > 0)) return
        all += bytes
        if (type === 'video') pictures += bytes
      },
    },
  )
  return all > 0 ? pictures / all : 1
}
