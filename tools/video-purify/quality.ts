import type { Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import type { Coding as EncoderCoding, Effort } from '../../src/engines/ffmpeg/encode-frames.ts'
import { listByFfprobe } from '../../src/engines/ffmpeg/ffprobe.ts'
import { tryEncoding } from '../../src/engines/ffmpeg/try-encoding.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import type { FrameRange } from './part.ts'
import type { WholePicture } from './parts.ts'
import { chooseRateFactor, predictDecibels, targetDecibels, type Trial } from './rate-factor.ts'
import type { ReadOptions } from './stream-checks.ts'

/** The factor that is tried first. */
const firstFactor = 21

/** Trying would take as long as the whole, frames. */
const minTrialFrames = 60

/** Trials at most, and how far a factor may lie beside one that was tried: lines through them are no further right. */
const maxTrials = 3
const minFactorStep = 1

/** Largest result, as a share of its source: a little less than the half as much again that is promised. */
const maxSizeRatio = 1.4

/** How finely a video is coded. */
export interface EncodingQuality extends TrialEncoding {
  /** How near to its source that makes it, dB of brightness; undefined where that was not tried. */
  readonly decibels?: number
}

/** Taken where nothing is tried. */
const defaultQuality: EncodingQuality = { effort: 'veryfast', crf: 18 }

/**
 * The quality with which this video comes out as near to itself as wanted: its own grain and its own coding decide that,
 * so some frames of it are encoded and compared. Where that would make the file too large more effort is taken, and
 * where that is not enough it is coarser, which only happens to grain that the source was too small for.
 */
export async function chooseQuality(
  footage: WholePicture,
  { fileSize, ...reading }: ConcurrentTrialOptions & { readonly fileSize: number },
): Promise<EncodingQuality> {
  if (footage.count <= minTrialFrames) return defaultQuality
  // What goes with the picture stays as large as it is.
  const others = 1 - (await pictureShare(footage, reading))
  const largestFrame = ((maxSizeRatio - others) * fileSize) / footage.count
  const quick = await chooseFactor('superfast', { footage, largestFrame }, reading)
  // Where no place has pictures the parts will tell.
  if (!quick) return defaultQuality
  if (quick.decibels >= targetDecibels - decibelTolerance) return quick
  return (await chooseFactor('veryfast', { footage, largestFrame }, reading)) ?? defaultQuality
}

/** What a line through trials may be off by, dB. */
const decibelTolerance = 0.4

async function chooseFactor(
  effort: Effort,
  { footage, largestFrame }: { footage: WholePicture; largestFrame: number },
  reading: ConcurrentTrialOptions,
): Promise<Required<EncodingQuality> | undefined> {
  const trials: Trial[] = []
  let next = firstFactor
  while (trials.length < maxTrials && trials.every((one) => Math.abs(one.crf - next) > minFactorStep)) {
    const tried = await measureEncoding(footage, { effort, crf: next }, reading)
    if (!tried) return undefined
    trials.push({ crf: next, ...tried })
    next = chooseRateFactor(trials, largestFrame)
  }
  return { effort, crf: next, decibels: predictDecibels(trials, next) }
}

/** How trials are made. */
interface ConcurrentTrialOptions extends TrialOptions {
  /** Samples that memory has room for at once. */
  readonly atOnce: number
}

/** Frames of a place that is tried, and such places, as shares of the video; of a short one its middle alone. */
const framesPerSample = 20
const samplePositions = [0.15, 0.5, 0.85]
const middleOnly = [0.5]

/**
 * The least likeness of samples encoded with a factor, dB, and what a frame takes on average; undefined where no place
 * has pictures.
 */
async function measureEncoding(
  footage: Footage & FrameRange,
  coding: TrialEncoding,
  reading: ConcurrentTrialOptions,
): Promise<Omit<Trial, 'crf'> | undefined> {
  const tried = footage.count > 3 * samplePositions.length * framesPerSample ? samplePositions : middleOnly
  const count = Math.min(framesPerSample, footage.count)
  // One after another a video of half a minute would be tried for as long as it is treated.
  const inTurn = limitConcurrency(reading.atOnce)
  const threads = Math.max(1, Math.floor(reading.threads / Math.min(reading.atOnce, tried.length)))
  const samples = tried.map((place) => {
    const first = footage.first + Math.floor((footage.count - count) * place)
    return inTurn(() => encodeSample(footage, { first, count }, { ...reading, ...coding, threads }))
  })
  // Each ends its own programs before anything is told.
  await Promise.allSettled(samples)
  const made = (await Promise.all(samples)).filter((sample) => sample !== undefined)
  if (made.length === 0) return undefined
  return {
    decibels: Math.min(...made.map(({ decibels }) => decibels)),
    bytes: made.reduce((sum, sample) => sum + sample.bytes, 0) / made.length,
  }
}

/** How a sample is encoded. */
type TrialEncoding = Omit<EncoderCoding, 'threads'>

/** How a sample is made. */
interface TrialOptions extends Omit<ReadOptions, 'scratch'> {
  readonly threads: number
}

/** Frames from one key frame to the next as the encoder sets them on its own. */
const keyFrameInterval = 250

/**
 * Encodes a stretch of a video: how near it comes, dB, and what a frame takes on average, its first, a key frame,
 * counted as often as one would come. Undefined where there are hardly any pictures.
 */
export async function encodeSample(
  footage: Footage,
  stretch: FrameRange,
  { threads, signal, timeoutMs, effort, crf }: TrialOptions & TrialEncoding,
): Promise<Omit<Trial, 'crf'> | undefined> {
  const frames = await tryEncoding(footage, { ...stretch, threads, signal, timeoutMs, effort, crf })
  const [key, ...others] = frames
  // Of a few before the end of what is cut off, the key frame tells too much of the size.
  if (!key || frames.length < stretch.count / 2) return undefined
  // The mean is of squared differences: a black frame, near by itself, makes none of the others nearer.
  const difference = mean(frames.map(({ decibels }) => 10 ** (-decibels / 10)))
  return {
    decibels: -10 * Math.log10(difference),
    bytes: key.bytes / keyFrameInterval + mean(others.map(({ bytes }) => bytes)),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Where packets are looked at, as shares of the video, and for how long, s. */
const packetPositions = [0, 0.4, 0.8]
const packetSeconds = 10

/** What share of a file's bytes its pictures are, by packets of some places. */
export async function pictureShare(
  { path, rate, stream, first, count }: Omit<WholePicture, 'video'>,
  { signal }: Pick<ReadOptions, 'signal'>,
): Promise<number> {
  const secondsAt = (place: number) => stream.start + (first + place * count) / hertz(rate)
  const intervals = packetPositions.map((place) => `${secondsAt(place).toFixed(3)}%+${packetSeconds}`)
  const videos = new Map<string, { packets: number; bytes: number }>()
  let all = 0
  await listByFfprobe(
    path,
    ['-read_intervals', intervals.join(','), '-show_entries', 'packet=codec_type,stream_index,size'],
    {
      signal,
      onEntry([, type, index = '', size]) {
        const bytes = Number(size)
        if (!(bytes > 0)) return
        all += bytes
        if (type !== 'video') return
        const before = videos.get(index) ?? { packets: 0, bytes: 0 }
        videos.set(index, { packets: before.packets + 1, bytes: before.bytes + bytes })
      },
    },
  )
  // Covers are video too, of one packet each.
  const [picture] = [...videos.values()].toSorted((one, other) => other.packets - one.packets)
  return picture ? picture.bytes / all : 1
}
