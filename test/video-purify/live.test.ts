import { join } from 'node:path'
import { expect, it } from 'vitest'
import { askFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { scratchFolder } from '../engines/ffmpeg/made.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { blurred, packets, samples } from './purify.ts'

const folder = await scratchFolder()
const box = { x: 0.25, y: 0.5, w: 0.5, h: 0.25 }

const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=2']

it('of a live recording, whose picture begins late, each keeps its time', async () => {
  const source = join(folder, 'live.webm')
  const inputs = ['-itsoffset', '6', ...picture, '-f', 'lavfi', '-i', 'sine=duration=8']
  const maps = ['-map', '0', '-map', '1', '-vsync', 'passthrough', '-pix_fmt', 'yuv420p']
  // No length and no index, as browsers record.
  const live = ['-live', '1', '-cluster_time_limit', '500']
  await ffmpeg(...inputs, ...maps, '-c:v', 'libvpx', '-g', '10', '-c:a', 'libopus', ...live, source)
  const { path } = await blurred(source, folder, box)
  const begins = async (file: string, stream: string) => {
    const question = [
      '-select_streams',
      stream,
      '-read_intervals',
      '%+#1',
      '-show_entries',
      'packet=pts_time',
    ]
    const { packets: found } = JSON.parse((await askFfprobe(file, question, {})).text) as {
      packets: { pts_time: string }[]
    }
    return Number(found[0]?.pts_time)
  }
  const distance = async (file: string) => (await begins(file, 'v:0')) - (await begins(file, 'a:0'))
  expect(Math.abs((await distance(path)) - (await distance(source)))).toBeLessThan(0.002)
  expect(Math.abs(await distance(source))).toBeGreaterThan(5.9)
  const [before, after] = [await samples(source), await samples(path)]
  expect(after.length).toBe(before.length)
  // Of the first picture what lies above the box.
  const above = before.subarray(0, 160 * 40)
  const apart = above.reduce((sum, value, place) => sum + Math.abs(value - (after[place] ?? 0)), 0)
  expect(apart / above.length).toBeLessThan(2)
  expect(await packets(path, 'a:0')).toBe(await packets(source, 'a:0'))
})
