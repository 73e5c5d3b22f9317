import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { detectFaces } from '../../../src/engines/vision/detect-faces.ts'
import { soakSize } from '../../soak-size.ts'
import { generateMedia, h264, scratchFolder, testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

describe.skipIf(testdata('models') === undefined)('faces (REELWRIGHT_TESTDATA)', () => {
  it('are searched in memory that does not grow with the video, until aborted', async () => {
    const folder = await scratchFolder()
    useTestPacks(join(folder, 'packs'))
    const path = await generateMedia(join(folder, 'long.mp4'), [
      ...['-loop', '1', '-framerate', '25', '-t', '20', '-i', join(testdata('image') ?? '', 'faces.jpg')],
      ...['-vf', 'scale=320:212', ...h264],
    ])
    const controller = new AbortController()
    const [settled, last] = soakSize([50, 150], [100, 400])
    let [count, after] = [0, 0]
    const frames = detectFaces(path, await probe(path), {
      ...{ perSecond: 25, threads: 2, signal: controller.signal },
    })
    const reading = async () => {
      for await (const { seconds } of frames) {
        expect(seconds).toBeCloseTo(count / 25, 6)
        count += 1
        if (count === settled) after = process.memoryUsage().rss
        if (count === last) controller.abort(new Error('enough'))
      }
    }
    await expect(reading()).rejects.toThrow('enough')
    expect(process.memoryUsage().rss - after).toBeLessThan(80e6)
  })
})
