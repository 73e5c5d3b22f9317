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
import { atMost } from '../../src/platform/at-most.ts'
import type { Stretch } from './part.ts'
import { pictureShare } from './picture-share.ts'
import { likenessAt, rateFactor, wanted, type Trial } from './rate-factor.ts'
import type { Reading } from './reading.ts'

interface Trying extends Reading {
  readonly threads: number
  /** Samples that memory has room for at once. */
  readonly atOnce: number
}

/** What is tried first, and what is taken of what is not tried. */
const crf = { first: 21, untried: 18 }

/** Trying would take as long as the whole, frames. */
const tooFew = 60

/** Trials at most, and how far a factor may lie beside one that was tried: lines through them are no further right. */
const mostTrials = 3
const nearEnough = 1

/** Largest result, as a share of its source: a little less than the half as much again that is promised. */
const largest = 1.4

/** How finely a video is coded. */
export interface Quality {
  readonly effort: Effort
  /** x264's constant rate factor. */
  readonly crf: number
  /** How near to its source that makes it, dB of brightness; undefined where that was not tried. */
  readonly decibels?: number
}

/**
 * The quality with which this video comes out as near to itself as wanted: its own grain and its own coding decide that,
 * so some frames of it are encoded and compared. Where that would make the file too large more effort is taken, and
 * where that is not enough it is coarser, which only happens to grain that the source was too small for.
 */
export async function chooseQuality(
  footage: Footage & Stretch,
  { fileSize, ...reading }: Trying & { readonly fileSize: number },
): Promise<Quality> {
  if (footage.count <= tooFew) return { effort: 'veryfast', crf: crf.untried }
  // What goes with the picture stays as large as it is.
  const others = 1 - (await pictureShare(footage, reading))
  const largestFrame = ((largest - others) * fileSize) / footage.count
  const quick = await chooseFactor('superfast', { footage, largestFrame }, reading)
  return quick.decibels >= wanted - slack
    ? quick
    : await chooseFactor('veryfast', { footage, largestFrame }, reading)
}

/** What a line through trials may be off by, dB. */
const slack = 0.4

async function chooseFactor(
  effort: Effort,
  { footage, largestFrame }: { footage: Footage & Stretch; largestFrame: number },
  reading: Trying,
): Promise<Required<Quality>> {
  const trials: Trial[] = []
  let next = crf.first
  while (trials.length < mostTrials && trials.every((one) => Math.abs(one.crf - next) > nearEnough)) {
    trials.push({ crf: next, ...(await tryOut(footage, { effort, crf: next }, reading)) })
    next = rateFactor(trials, largestFrame)
  }
  return { effort, crf: next, decibels: likenessAt(trials, next) }
}

/** Frames of a place that is tried, and such places, as shares of the video; of a short one its middle alone. */
const frames = 20
const places = [0.15, 0.5, 0.85]
const middle = [0.5]

type Coding = Pick<Quality, 'effort' | 'crf'>

/** Of samples that are the same, dB. */
const identical = 100

/** The least likeness of samples encoded with a factor, dB, and what a frame takes on average. */
async function tryOut(
  footage: Footage & Stretch,
  coding: Coding,
  reading: Trying,
): Promise<Omit<Trial, 'crf'>> {
  const tried = footage.count > 3 * places.length * frames ? places : middle
  const count = Math.min(frames, footage.count)
  // One after another a video of half a minute would be tried for as long as it is treated.
  const inTurn = atMost(reading.atOnce)
  const threads = Math.max(1, Math.floor(reading.threads / Math.min(reading.atOnce, tried.length)))
  const samples = tried.map((place) => {
    const first = footage.first + Math.floor((footage.count - count) * place)
    return inTurn(() => tryAt(footage, { first, count }, { ...reading, ...coding, threads }))
  })
  // Each ends its own programs before anything is told.
  await Promise.allSettled(samples)
  let [decibels, bytes] = [identical, 0]
  for (const sample of await Promise.all(samples)) {
    decibels = Math.min(decibels, sample.decibels)
    bytes += sample.bytes / tried.length
  }
  return { decibels, bytes }
}

/** Of so many frames one is compared: no multiple of how the encoder sets those that it codes more coarsely. */
const comparedStep = 3

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
  { scratch, threads, signal, timeoutMs, ...coding }: Trying & Coding,
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
