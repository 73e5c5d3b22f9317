import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { decodeFrames } from '../../src/engines/ffmpeg/decode-frames.ts'
import { queryFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { firstFrameIndex, constantRate } from '../../src/media/frame-rate.ts'
import { liveRecording } from '../engines/ffmpeg/live-recording.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { sampleCases } from '../soak-size.ts'
import { blurBoxes, packetChecksums, decodeSamples } from './run-purify.ts'

const folder = await scratchFolder()
const box = { x: 0.25, y: 0.5, w: 0.5, h: 0.25 }

const picture = 'testsrc2=size=160x90'

it('frames of a live recording with a late picture keep their times', async () => {
  const path = join(folder, 'live.webm')
  const source = await liveRecording(path, { picture, startSeconds: 6, durationSeconds: 2, gop: 10 })
  const cleaned = await blurBoxes(source, folder, box)
  const distance = async (file: string) => {
    const { text } = await queryFfprobe(file, ['-show_entries', 'packet=codec_type,pts_time'], {})
    const { packets } = JSON.parse(text) as { packets: { codec_type: string; pts_time: string }[] }
    const firstTime = (type: string) =>
      Number(packets.find(({ codec_type }) => codec_type === type)?.pts_time)
    return firstTime('video') - firstTime('audio')
  }
  const sourceDistance = await distance(source)
  expect(Math.abs((await distance(cleaned.path)) - sourceDistance)).toBeLessThan(0.002)
  expect(Math.abs(sourceDistance)).toBeGreaterThan(5.9)
  const [before, after] = [await decodeSamples(source), await decodeSamples(cleaned.path)]
  expect(after.length).toBe(before.length)
  // The part of the first frame above the box.
  const upperPart = before.subarray(0, 160 * 40)
  const totalDifference = upperPart.reduce(
    (sum, value, place) => sum + Math.abs(value - (after[place] ?? 0)),
    0,
  )
  expect(totalDifference / upperPart.length).toBeLessThan(2)
  expect(await packetChecksums(cleaned.path, 'a:0')).toBe(await packetChecksums(source, 'a:0'))
})

it.each([
  ['from the start', 0],
  ['late', 6],
])(
  'frames of a live recording that starts %s do not depend on the read position',
  async (_, startSeconds) => {
    const path = join(folder, `live-${startSeconds}.webm`)
    await liveRecording(path, {
      picture: 'testsrc2=size=64x36',
      startSeconds: startSeconds,
      durationSeconds: 5,
      gop: 50,
    })
    const { video } = await probe(path)
    if (!video) throw new Error(`${path} has no picture`)
    const footage = { path, video, stream: await pictureStream(path, video, {}), rate: constantRate(video) }
    const { signal } = new AbortController()
    const first = firstFrameIndex(video, footage.rate)
    const read = async (from: number, count: number) => {
      const frames: string[] = []
      const reading = { first: first + from, count, threads: 1, signal, timeoutMs: 60_000 }
      for await (const { bytes } of decodeFrames(footage, reading))
        frames.push(createHash('sha256').update(bytes).digest('hex'))
      return frames
    }
    const all = await read(0, 200)
    expect(all).toHaveLength(125)
    // With little motion, some frames are encoded identically.
    expect(new Set(all).size).toBeGreaterThan(100)
    for (const from of sampleCases([0, 1, 24, 26, 49, 50, 51, 99, 100, 122], 4))
      expect(await read(from, 3), `from frame ${from} on`).toEqual(all.slice(from, from + 3))
  },
)
