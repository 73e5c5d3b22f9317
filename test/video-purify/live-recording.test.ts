import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { decodeFrames } from '../../src/engines/ffmpeg/decode-frames.ts'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { firstFrameIndex, constantRate } from '../../src/media/frame-rate.ts'
import { liveRecording } from '../engines/ffmpeg/live-recording.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { sampleCases } from '../soak-size.ts'

const folder = await scratchFolder()

const starts: readonly (readonly [string, number])[] = [
  ['late', 6],
  ['from the start', 0],
]
it.each(sampleCases(starts, 1))(
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
    for (const from of sampleCases([0, 1, 24, 26, 49, 50, 51, 99, 100, 122], 3))
      expect(await read(from, 3), `from frame ${from} on`).toEqual(all.slice(from, from + 3))
  },
)
