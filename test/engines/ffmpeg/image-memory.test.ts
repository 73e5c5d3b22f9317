import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probeWithFirstFrame } from '../../../src/engines/ffmpeg/probe.ts'
import { scratchFolder } from './generate-media.ts'
import { hugePng } from './huge-png.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'

const folder = await scratchFolder()

/** Peak memory of a program, MiB: one decoded picture of 4000 x 4000 pixels with 8 bytes each, and the program itself. */
const bound = 122 + 80

/** Runs ffprobe in a shell that appends its peak memory to `peaks`, as reported by the kernel while it runs. */
const measured = (peaks: string) =>
  `"$FFPROBE" "$@" & pid=$!
while kill -0 $pid 2>/dev/null; do grep VmHWM /proc/$pid/status >> '${peaks}' 2>/dev/null; sleep 0.1; done
wait $pid`

/** Returns the largest recorded peak, MiB. */
async function largestPeak(peaks: string): Promise<number> {
  const lines = (await readFile(peaks, 'utf8')).matchAll(/VmHWM:\s+(\d+)/g)
  return Math.max(...[...lines].map(([, kibibytes]) => Number(kibibytes) / 1024))
}

test.skipIf(process.platform !== 'linux')(
  'a PNG with 16 bits is probed with the memory of one decoded picture',
  async () => {
    const path = await hugePng(join(folder, 'large.png'), { width: 4000, height: 4000, depth: 16 })
    const peaks = join(folder, 'peaks')
    using _ = await replaceFfmpeg(join(folder, 'probe'), measured(peaks), 'ffprobe')
    expect((await probeWithFirstFrame(path)).facts.video).toMatchObject({ width: 4000, height: 4000 })
    expect(await largestPeak(peaks)).toBeLessThan(bound)
  },
)

test('a PNG that takes more than 512 MiB when decoded is rejected before it is decoded', async () => {
  const size = { width: 8200, height: 8200, rows: 1 }
  const deep = await hugePng(join(folder, 'deep.png'), { ...size, depth: 16 })
  await expect(probeWithFirstFrame(deep)).rejects.toMatchObject({ code: 6017 })
  const plain = await hugePng(join(folder, 'plain.png'), { ...size, depth: 8 })
  expect((await probeWithFirstFrame(plain)).facts.video?.width).toBe(8200)
})
