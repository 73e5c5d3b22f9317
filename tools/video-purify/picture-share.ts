import { listByFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import type { Reading } from './reading.ts'
import type { WholePicture } from './whole-picture.ts'

/** Where packets are looked at, as shares of the video, and for how long, s. */
const places = [0, 0.4, 0.8]
const seconds = 10

/** What share of a file's bytes its pictures are, by packets of some places. */
export async function pictureShare(
  { path, rate, stream, first, count }: Omit<WholePicture, 'video'>,
  { signal }: Pick<Reading, 'signal'>,
): Promise<number> {
  const secondsAt = (place: number) => stream.start + (first + place * count) / hertz(rate)
  const intervals = places.map((place) => `${secondsAt(place).toFixed(3)}%+${seconds}`)
  const videos = new Map<string, { packets: number; bytes: number }>()
  let all = 0
  await listByFfprobe(
    path,
    ['-read_intervals', intervals.join(','), '-show_entries', 'packet=codec_type,stream_index,size'],
    {
      signal,
      onEntry([, type, index = '', size]) {
        const bytes = Number(size)
        if (!(bytes > 0)) return
        all += bytes
        if (type !== 'video') return
        const before = videos.get(index) ?? { packets: 0, bytes: 0 }
        videos.set(index, { packets: before.packets + 1, bytes: before.bytes + bytes })
      },
    },
  )
  // Covers are video too, of one packet each.
  const [picture] = [...videos.values()].toSorted((one, other) => other.packets - one.packets)
  return picture ? picture.bytes / all : 1
}
