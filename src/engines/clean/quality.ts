import type { Footage } from '../ffmpeg/decode-frames.ts'
import {
  type Effort,
  encodeAndMeasure,
  type EncoderSettings as EncoderCoding,
} from '../ffmpeg/encode-frames.ts'
import { listWithFfprobe } from '../ffmpeg/ffprobe.ts'
import { hertz } from '../../media/frame-rate.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import type { FrameRange } from './part.ts'
import type { WholePicture } from './parts.ts'
import { chooseRateFactor, predictDecibels, targetDecibels, type Trial } from './rate-factor.ts'
import type { ReadOptions } from './stream-checks.ts'

/** First rate factor (CRF) to try. */
const firstFactor = 21

/** Fewest frames for which trials are worthwhile. */
const minTrialFrames = 60

/** Limit of trials, and the difference of rate factors within which interpolation is reliable. */
const maxTrials = 3
const minFactorStep = 1

/** Largest result relative to the source, somewhat below the promised 1.5. */
const maxSizeRatio = 1.4

/** Encoder effort and rate factor (CRF) of a video. */
export interface EncodingQuality extends TrialEncoding {
  /** Expected fidelity in dB (luma PSNR); undefined if not measured. */
  readonly decibels?: number
}

/** Used if no trial is made. */
const defaultQuality: EncodingQuality = { effort: 'veryfast', crf: 18 }

/**
 * Chooses the quality at which the video reaches the target fidelity. Grain and the source's own coding determine it,
 * so some frames are encoded and compared. If the file would be too large, uses more encoder effort, then a coarser
 * factor.
 */
export async function chooseQuality(
  footage: WholePicture,
  { fileSize, ...reading }: ConcurrentTrialOptions & { readonly fileSize: number },
): Promise<EncodingQuality> {
  if (footage.count <= minTrialFrames) return defaultQuality
  // Other streams keep their size.
  const others = 1 - (await pictureShare(footage, reading))
  const largestFrame = ((maxSizeRatio - others) * fileSize) / footage.count
  const quick = await chooseFactor('superfast', { footage, largestFrame }, reading)
  // If no sample has frames, processing the parts reports it.
  if (!quick) return defaultQuality
  if (quick.decibels >= targetDecibels - decibelTolerance) return quick
  return (await chooseFactor('veryfast', { footage, largestFrame }, reading)) ?? defaultQuality
}

/** Allowed error of interpolation between trials, in dB. */
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

/** Options of trials that run concurrently. */
interface ConcurrentTrialOptions extends TrialOptions {
  /** Number of samples that fit in memory at once. */
  readonly atOnce: number
}

/** Frames per sample, and positions of samples as shares of the video; a short video is sampled in the middle only. */
const framesPerSample = 20
const samplePositions = [0.15, 0.5, 0.85]
const middleOnly = [0.5]

/**
 * Returns the lowest fidelity of the samples, in dB, and the mean bytes per frame; undefined if no position has frames.
 */
async function measureEncoding(
  footage: Footage & FrameRange,
  coding: TrialEncoding,
  reading: ConcurrentTrialOptions,
): Promise<Omit<Trial, 'crf'> | undefined> {
  const tried = footage.count > 3 * samplePositions.length * framesPerSample ? samplePositions : middleOnly
  const count = Math.min(framesPerSample, footage.count)
  // Run concurrently: sequential trials of a 30 s video would take as long as its treatment.
  const inTurn = limitConcurrency(reading.atOnce)
  const threads = Math.max(1, Math.floor(reading.threads / Math.min(reading.atOnce, tried.length)))
  const samples = tried.map((place) => {
    const first = footage.first + Math.floor((footage.count - count) * place)
    return inTurn(() => encodeSample(footage, { first, count }, { ...reading, ...coding, threads }))
  })
  // Wait until all trials have ended their programs.
  await Promise.allSettled(samples)
  const made = (await Promise.all(samples)).filter((sample) => sample !== undefined)
  if (made.length === 0) return undefined
  return {
    decibels: Math.min(...made.map(({ decibels }) => decibels)),
    bytes: made.reduce((sum, sample) => sum + sample.bytes, 0) / made.length,
  }
}

/** Encoder settings of a trial. */
type TrialEncoding = Omit<EncoderCoding, 'threads'>

/** How to run a trial. */
interface TrialOptions extends Omit<ReadOptions, 'scratch'> {
  readonly threads: number
}

/** Default key frame interval of the encoder, in frames. */
const keyFrameInterval = 250

/**
 * Encodes a range of frames. Returns the fidelity in dB and the mean bytes per frame, with the key frame weighted by
 * its interval. Undefined if most frames are missing.
 */
export async function encodeSample(
  footage: Footage,
  stretch: FrameRange,
  { threads, signal, timeoutMs, effort, crf }: TrialOptions & TrialEncoding,
): Promise<Omit<Trial, 'crf'> | undefined> {
  const frames = await encodeAndMeasure(footage, { ...stretch, threads, signal, timeoutMs, effort, crf })
  const [key, ...others] = frames
  // With few frames before a truncated end, the key frame dominates the size.
  if (!key || frames.length < stretch.count / 2) return undefined
  // Average squared differences, not decibels: a perfectly reproduced black frame must not compensate for others.
  const difference = mean(frames.map(({ decibels }) => 10 ** (-decibels / 10)))
  return {
    decibels: -10 * Math.log10(difference),
    bytes: key.bytes / keyFrameInterval + mean(others.map(({ bytes }) => bytes)),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Positions at which to measure packets, as shares of the video, and duration in seconds. */
const packetPositions = [0, 0.4, 0.8]
const packetSeconds = 10

/** Returns the video stream's share of the file size, 0 to 1, measured on packets at some positions. */
export async function pictureShare(
  { path, rate, stream, first, count }: Omit<WholePicture, 'video'>,
  { signal }: Pick<ReadOptions, 'signal'>,
): Promise<number> {
  const secondsAt = (place: number) => stream.start + (first + place * count) / hertz(rate)
  const intervals = packetPositions.map((place) => `${secondsAt(place).toFixed(3)}%+${packetSeconds}`)
  const videos = new Map<string, { packets: number; bytes: number }>()
  let all = 0
  await listWithFfprobe(
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
  // Covers are video streams too, with one packet each.
  const [picture] = [...videos.values()].toSorted((one, other) => other.packets - one.packets)
  return picture ? picture.bytes / all : 1
}
