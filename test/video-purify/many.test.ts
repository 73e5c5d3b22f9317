import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { listable, writeDetection } from '../../tools/video-purify/detection.ts'
import { h264, make, picture, scratchFolder } from '../engines/ffmpeg/made.ts'
import { purify } from './purify.ts'

const folder = await scratchFolder()

it('however much is found, its list is taken back, without what is least like text', async () => {
  const source = await make(join(folder, 'many.mp4'), [...picture(1), ...h264])
  const { video } = await probe(source)
  if (!video) throw new Error(`${source} has no picture`)
  // As many digits as numbers may have.
  const region = { x: 1 / 3e5, y: 1 / 3e5, w: 1 / 3e5, h: 1 / 3e5, start: 1 / 3e5, end: 0.04 + 1 / 3e5 }
  const sure = { ...region, score: 0.8 }
  const unsure = { ...region, score: 0.7 }
  const all = Array.from({ length: 60_002 }, (_, index) => ({ ...(index % 30_001 === 0 ? unsure : sure) }))
  const { listed, left } = listable(all, video)
  expect(left).toBe(10_002)
  expect(listed.every(({ score }) => score === 0.8)).toBe(true)
  const path = join(folder, 'many.json')
  await writeFile(path, writeDetection({ file_id: source.slice(-64), video }, listed))
  const { output } = await purify(source, folder, { phase: 'purify', regions_file_id: path })
  expect(output.notes).toBeUndefined()
})
