import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import {
  decodeFrames,
  isFullRange,
  uprightSize,
  type Footage,
} from '../../src/engines/ffmpeg/decode-frames.ts'
import { encodeFrames, type Effort } from '../../src/engines/ffmpeg/encode-frames.ts'
import { askFfprobe, parse } from '../../src/engines/ffmpeg/ffprobe.ts'
import type { Frame } from '../../src/media/clean/patch.ts'
import { planesOf } from '../../src/media/clean/planes.ts'
import type { Stretch } from './part.ts'
import type { Trial } from './rate-factor.ts'
import type { Reading } from './reading.ts'

/** How a sample is encoded. */
export interface Coding {
  readonly effort: Effort
  /** x264's constant rate factor. */
  readonly crf: number
}

/** How a sample is made. */
export interface Sampling extends Reading {
  readonly threads: number
}

/** Of samples that are the same, dB. */
export const identical = 100

/** Of so many frames one is compared: no multiple of how the encoder sets those that it codes more coarsely. */
const comparedStep = 3

/** Encodes a stretch of a video, and compares what comes of it: its likeness, dB, and what a frame takes on average. */
export async function makeSample(
  footage: Footage,
  stretch: Stretch,
  { scratch, threads, signal, timeoutMs, ...coding }: Sampling & Coding,
): Promise<Omit<Trial, 'crf'>> {
  const path = join(scratch, `sample-${stretch.first}.mp4`)
  const work = { threads, signal, timeoutMs }
  const compared: Frame[] = []
  async function* noted(): AsyncGenerator<Frame> {
    let index = 0
    for await (const frame of decodeFrames(footage, { ...stretch, ...work })) {
      if (index % comparedStep === 0) compared.push(brightnessOf(frame))
      index += 1
      yield frame
    }
  }
  await encodeFrames(path, { frames: noted(), footage }, { ...coding, ...work })
  const wish = { first: 0, count: stretch.count, step: comparedStep, ...work }
  let [squares, samples] = [0, 0]
  for await (const frame of decodeFrames(encodedAs(path, footage), wish)) {
    const source = compared.shift()
    if (!source) break
    squares += squaresOf(source, frame)
    samples += frame.width * frame.height
  }
  const bytes = await bytesOf(path, signal)
  await rm(path)
  return { decibels: Math.min(identical, 10 * Math.log10((255 * 255 * samples) / squares)), bytes }
}

const packets = z.object({ packets: z.array(z.object({ size: z.coerce.number() })).min(1) })

/** Frames from one key frame to the next as the encoder sets them on its own. */
const fromKeyToKey = 250

/** What a frame of a sample takes, its only key frame counted as often as it would come. */
async function bytesOf(path: string, signal: AbortSignal): Promise<number> {
  const { text } = await askFfprobe(path, ['-show_entries', 'packet=size'], { signal })
  const [key = 0, ...others] = parse(packets, text).packets.map(({ size }) => size)
  return key / fromKeyToKey + others.reduce((sum, size) => sum + size, 0) / Math.max(1, others.length)
}

/** A picture once it is encoded: as it stands, without what was laid over black or mapped. */
function encodedAs(path: string, footage: Footage): Footage {
  const { width: coded_width, height: coded_height } = uprightSize(footage.video)
  const range = isFullRange(footage) ? 'pc' : 'tv'
  return {
    ...footage,
    path,
    video: {
      ...footage.video,
      ...{ coded_width, coded_height, rotation: 0, hdr: false, alpha: false, codec: 'h264', start_ms: 0 },
      pixel_format: range === 'pc' ? 'yuvj420p' : 'yuv420p',
    },
    stream: { ...footage.stream, colour: { ...footage.stream.colour, range } },
  }
}

/** What is kept to be compared: a frame's memory is used again, and colour is not looked at. */
function brightnessOf(frame: Frame): Frame {
  return { ...frame, bytes: planesOf(frame)[0].bytes.slice() }
}

/** Sum of the squared differences in brightness. */
function squaresOf(one: Frame, other: Frame): number {
  let sum = 0
  for (let at = 0; at < one.bytes.length; at++) {
    const difference = (one.bytes[at] ?? 0) - (other.bytes[at] ?? 0)
    sum += difference * difference
  }
  return sum
}
