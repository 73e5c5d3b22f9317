import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import {
  decodeFrames,
  isFullRange,
  uprightSize,
  type Footage,
} from '../../src/engines/ffmpeg/decode-frames.ts'
import { encodeFrames } from '../../src/engines/ffmpeg/encode-frames.ts'
import { askFfprobe, parse } from '../../src/engines/ffmpeg/ffprobe.ts'
import type { Frame } from '../../src/media/clean/patch.ts'
import { planesOf } from '../../src/media/clean/planes.ts'
import type { Stretch } from './part.ts'
import type { Reading } from './reading.ts'

interface Trying extends Reading {
  readonly threads: number
}

/** What is tried, and between what is chosen; for the sake of its size no result is coarser than `kept`. */
const crf = { tried: 21, finest: 6, kept: 20, coarsest: 23, untried: 17 }

/** Trying would take as long as the whole, frames. */
const tooFew = 60

/** How near to the source the result is to be, dB of brightness: a little more than the 45 that are promised. */
const wanted = 45.8

/** Largest result, as a share of its source: a little less than the half as much again that is promised. */
const largest = 1.4

/** What a step of the rate factor is worth, dB, and how many double the size: by film, talk and noise at 1.5 to 25 Mb/s. */
const perStep = 0.6
const stepsToDouble = 6

/**
 * The rate factor with which this video comes out as near to itself as wanted: its own grain and its own coding decide
 * that, so some frames of it are encoded and compared. Where that would make the file too large it is coarser, which
 * only happens to grain that the source was too small for.
 *
 * @param bytesPerFrame of the source
 */
export async function chooseCrf(
  footage: Footage & Stretch,
  { bytesPerFrame, ...reading }: Trying & { readonly bytesPerFrame: number },
): Promise<number> {
  if (footage.count <= tooFew) return crf.untried
  const { decibels, bytes } = await tryOut(footage, reading)
  const near = crf.tried + (decibels - wanted) / perStep
  const small = crf.tried + stepsToDouble * Math.log2(bytes / (largest * bytesPerFrame))
  const chosen = Math.max(near, Math.min(small, crf.kept))
  return Math.round(10 * Math.max(crf.finest, Math.min(crf.coarsest, chosen))) / 10
}

/** Frames of a place that is tried, and such places, as shares of the video; of a short one its middle alone. */
const frames = 20
const places = [0.15, 0.5, 0.85]
const middle = [0.5]

/** The least likeness of samples encoded as tried, dB, and what a frame takes on average. */
async function tryOut(
  footage: Footage & Stretch,
  reading: Trying,
): Promise<{ decibels: number; bytes: number }> {
  const tried = footage.count > 3 * places.length * frames ? places : middle
  let [decibels, bytes] = [Infinity, 0]
  for (const place of tried) {
    const count = Math.min(frames, footage.count)
    const first = footage.first + Math.floor((footage.count - count) * place)
    const sample = await tryAt(footage, { first, count }, reading)
    decibels = Math.min(decibels, sample.decibels)
    bytes += sample.bytes / tried.length
  }
  return { decibels, bytes }
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

async function tryAt(
  footage: Footage,
  stretch: Stretch,
  { scratch, threads, signal, timeoutMs }: Trying,
): Promise<{ decibels: number; bytes: number }> {
  const path = join(scratch, 'sample.mp4')
  const work = { threads, signal, timeoutMs }
  await encodeFrames(
    path,
    { frames: decodeFrames(footage, { ...stretch, ...work }), footage },
    { crf: crf.tried, ...work },
  )
  const encoded = decodeFrames(encodedAs(path, footage), { first: 0, count: stretch.count, ...work })
  let [squares, samples] = [0, 0]
  try {
    for await (const frame of decodeFrames(footage, { ...stretch, ...work })) {
      const other = await encoded.next()
      if (other.done) break
      squares += squaresOf(frame, other.value)
      samples += frame.width * frame.height
    }
  } finally {
    // Else its program would wait for somebody to read on.
    await encoded.return(undefined)
  }
  const bytes = await bytesOf(path, signal)
  await rm(path)
  return { decibels: squares === 0 ? Infinity : 10 * Math.log10((255 * 255 * samples) / squares), bytes }
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

/** Sum of the squared differences in brightness. */
function squaresOf(one: Frame, other: Frame): number {
  const [{ bytes }] = planesOf(one)
  let sum = 0
  for (let at = 0; at < bytes.length; at++) {
    const difference = (bytes[at] ?? 0) - (other.bytes[at] ?? 0)
    sum += difference * difference
  }
  return sum
}
