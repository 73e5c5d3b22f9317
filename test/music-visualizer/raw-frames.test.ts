import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import type { AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { rawFrames } from '../../tools/music-visualizer/encode.ts'
import type { PreparedDrawing } from '../../tools/music-visualizer/frames.ts'

const size = { width: 16, height: 8 }
const box = { x: 0, y: 0, ...size }

/** Grey pictures without sound, each brighter than the previous one. onDrawn: called with their number. */
function greys(count: number, onDrawn: (count: number) => void = () => {}): PreparedDrawing {
  return {
    ...{ still: new Uint8Array(4 * size.width * size.height), region: box },
    ...{ scale: 1, sidePadding: 0, overlay: undefined, truncated: [] },
    async *frames() {
      for (let index = 0; index < count; index += 1) {
        onDrawn(index + 1)
        yield { pixels: new Uint8Array(4 * size.width * size.height).fill(10 * index), channelShift: 0 }
      }
    },
  }
}

async function* noMoments(): AsyncGenerator<AudioFeatures> {}

/** Reads the brightness of the frames and checks that their thread has ended. */
async function read(drawn: PreparedDrawing, most = Infinity): Promise<readonly number[]> {
  const started = once(process, 'worker') as Promise<[Worker]>
  const levels: number[] = []
  try {
    for await (const frame of rawFrames({ drawn, moments: noMoments(), ...size })) {
      levels.push(frame[0] ?? 0)
      if (levels.length === most) break
    }
  } finally {
    const [thread] = await started
    expect(thread.threadId, 'a thread that has ended').toBe(-1)
  }
  return levels
}

const level = (grey: number) => Math.floor(16.5 + (219 * grey) / 255)

describe('the thread that codes frames', () => {
  it.each([0, 1, 2, 3, 25])('returns %i frames in order, and ends', async (count) => {
    const expected = Array.from({ length: count }, (_, index) => level(10 * index))
    expect(await read(greys(count))).toEqual(expected)
  })

  it('returns fully moving pictures unchanged or with shifted channels', async () => {
    const count = 7
    const moving: PreparedDrawing = { ...greys(count), still: undefined }
    expect(await read(moving)).toEqual(Array.from({ length: count }, (_, index) => 10 * index))
    const row = [10, 20, 30, 40, 50, 60]
    const frames = async function* () {
      const pixels = Uint8Array.from(row.flatMap((grey) => [grey, grey, grey, 255]))
      for (const channelShift of [0, 1]) yield { pixels, channelShift }
    }
    const job = { region: { x: 0, y: 0, width: 2, height: 1 }, sidePadding: 2, frames }
    const received: number[][] = []
    for await (const frame of rawFrames({
      drawn: { ...moving, ...job },
      moments: noMoments(),
      ...{ width: 2, height: 1 },
    })) {
      const reds = [frame[0], frame[4]].map(Number)
      received.push([...reds, ...[frame[1], frame[5]].map(Number)])
    }
    expect(received).toEqual([
      [30, 40, 30, 40],
      [40, 50, 20, 30],
    ])
  })

  it('is one picture behind the drawing, which waits for the consumer', async () => {
    let drawn = 0
    const levels = await read(
      greys(1000, (count) => {
        drawn = count
      }),
      3,
    )
    expect(levels).toEqual([0, 10, 20].map(level))
    expect(drawn).toBe(4)
  })

  it('ends with the error of the drawing', async () => {
    const frames = async function* () {
      yield* greys(3).frames(noMoments())
      throw new RangeError('no more paint')
    }
    await expect(read({ ...greys(0), frames })).rejects.toThrow('no more paint')
  })

  it('reports its own errors', async () => {
    // 32-bit words cannot start at this offset.
    const still = new Uint8Array(new ArrayBuffer(1024), 1, 4 * size.width * size.height)
    await expect(read({ ...greys(3), still })).rejects.toThrow('multiple of 4')
  })
})
