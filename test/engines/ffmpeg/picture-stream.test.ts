import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pictureStream } from '../../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { correctByPackets } from '../../../src/engines/ffmpeg/cut-off.ts'
import { h264, generateMedia, picture, scratchFolder } from './generate-media.ts'

const folder = await scratchFolder()

test('a picture ends with its last frame, even if the last key frame is far earlier', async () => {
  const still = ['-f', 'lavfi', '-i', 'color=size=16x16:rate=120:duration=150']
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '100000', '-keyint_min', '100000']
  const path = await generateMedia(join(folder, 'sparse.mkv'), [...still, ...coding])
  const { video } = await probe(path)
  if (!video) throw new Error('the file has no picture')
  expect((await pictureStream(path, video, {})).durationSeconds).toBeCloseTo(150, 1)
})

test('a picture ends where its edit list does, although the file contains more', async () => {
  const path = await generateMedia(join(folder, 'edited.mp4'), [
    ...picture(4),
    ...h264,
    '-bf',
    '2',
    '-g',
    '100',
  ])
  const bytes = await readFile(path)
  // Duration of the first entry, in the time scale of the file: milliseconds.
  const length = bytes.indexOf('elst') + 12
  expect(bytes.readUInt32BE(length)).toBe(4000)
  bytes.writeUInt32BE(3200, length)
  await writeFile(path, bytes)
  const facts = await probe(path)
  if (!facts.video) throw new Error('the file has no picture')
  expect(facts.video.duration_ms).toBe(3200)
  expect((await correctByPackets(path, facts, {})).video?.duration_ms).toBe(3200)
  expect((await pictureStream(path, facts.video, {})).durationSeconds).toBeCloseTo(3.2, 2)
})
