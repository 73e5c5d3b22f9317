import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rational } from '../../contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { evenSize } from '../../media/clean/region.ts'
import {
  type FreezePoint,
  framesHeldBefore,
  type HeldFrame,
  heldFrames,
} from '../../media/dubbing/held-frames.ts'
import { hertz } from '../../media/frame-rate.ts'
import { uprightSize } from '../../media/geometry.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import type { FrameRange } from '../clean/part.ts'
import { checkPartsComplete, splitIntoParts, type WholePicture, wholePicture } from '../clean/parts.ts'
import { lostSideData } from '../clean/stream-checks.ts'
import { reencodeFrames } from '../ffmpeg/encode-frames.ts'
import { joinParts } from '../ffmpeg/join-parts.ts'
import { openStepCache } from '../ffmpeg/step-cache.ts'
import { subtitleFilter } from '../subtitles/burn.ts'
import { writeComplete } from './complete-file.ts'
import { holdFilters } from './hold-filters.ts'

interface ExtendVideoOptions extends Pick<RunContext, 'scratch' | 'steps' | 'threads' | 'signal'> {
  /** mp4 to write. */
  readonly path: string
  /** Content of an ASS file that is drawn over the picture. Its times are those of the output. */
  readonly subtitles?: string
  /** Called with 0 to 1, never decreasing. */
  readonly onShare?: (share: number) => void
}

/** A video without sound that was encoded again. */
export interface ExtendedVideo {
  /** Number of its frames, and their rate. */
  readonly frames: number
  readonly rate: Rational
  /** Sentences about what it lost. */
  readonly notes: readonly string[]
}

/** Quality of the encoding: x264's rate factor, and its preset. */
const encoding = { crf: 18, effort: 'veryfast' } as const

/** Maximum total frame size of the parts encoded at once, pixels: each encoder keeps a few dozen frames. */
const maxPixelsAtOnce = 4 * 1920 * 1080

/**
 * Encodes a video again with its picture held at some points, each for whole frames, and with subtitles. Size, rate and
 * colours stay; a variable rate becomes constant, and HDR becomes SDR. The result starts with the file: a late picture is
 * shown from the start. Finished parts are stored in `steps` for the next attempt. Throws 6014 without a picture, 6021 for
 * damaged files.
 */
export async function extendVideo(
  file: StagedFile,
  points: readonly FreezePoint[],
  options: ExtendVideoOptions,
): Promise<ExtendedVideo> {
  const footage = await wholePicture(file, options.signal)
  const { rate, stream, video } = footage
  const count = footage.first + footage.count
  const held = heldFrames(points, { rate, count })
  const scratch = await mkdtemp(join(options.scratch, 'video-'))
  try {
    const parts = await encodeParts(file, { ...options, footage, held, count, scratch })
    const timeoutMs = limitMs(footage, count)
    await writeComplete(options.path, (path) =>
      joinParts(path, { parts, rate: hertz(rate), signal: options.signal, timeoutMs }),
    )
    const hdrNotes = video.hdr
      ? [`${file.name} is HDR; its picture was tone-mapped to standard range (bt709)`]
      : []
    const frames = parts.reduce((sum, part) => sum + part.frames, 0)
    return { frames, rate, notes: [...hdrNotes, ...lostSideData(stream)] }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Time limit for frames of a video, ms: a base, and two seconds for each frame of 1920 x 1080. */
function limitMs({ video }: WholePicture, frames: number): number {
  const { width, height } = uprightSize(video)
  return 600_000 + 2000 * frames * Math.max(1, (width * height) / (1920 * 1080))
}

interface EncodePartsOptions extends ExtendVideoOptions {
  readonly footage: WholePicture
  readonly held: readonly HeldFrame[]
  /** Frames from the start of the file to the end of its picture. */
  readonly count: number
}

/** Encodes the parts that no earlier attempt has encoded, several at once. Returns all of them, in order. */
async function encodeParts(file: StagedFile, options: EncodePartsOptions) {
  const { footage, held, count, subtitles, scratch, steps, threads, onShare = () => {} } = options
  const { rate, stream, video } = footage
  const filter =
    subtitles === undefined ? undefined : await subtitleFilter({ ass: subtitles, folder: scratch })
  const { width, height } = evenSize(uprightSize(video))
  const atOnce = Math.max(1, Math.min(threads, Math.floor(maxPixelsAtOnce / (width * height))))
  const ranges = splitIntoParts({ first: 0, count }, hertz(rate), true)
  const { finished, keep } = await (
    await openStepCache(steps)
  ).parts({
    ...{ source: file.blake3, stream, rate, video, held, subtitles, encoding, parts: ranges.length },
  })
  const done = new Map<number, number>()
  const report = (first: number, frames: number) => {
    done.set(first, frames)
    onShare([...done.values()].reduce((sum, each) => sum + each, 0) / (count + framesHeldBefore(held, count)))
  }
  const failure = new AbortController()
  const signal = AbortSignal.any([options.signal, failure.signal])
  const limit = limitConcurrency(atOnce)
  const encode = async (range: FrameRange) => {
    signal.throwIfAborted()
    const part = plannedPart(range, held)
    const known = finished.get(range.first)
    if (known) return { ...known, ...part, frames: known.frames }
    const path = join(scratch, `part-${range.first}.mp4`)
    const frames = await reencodeFrames(path, footage, {
      ...{ ...range, ...encoding, signal, cwd: scratch, timeoutMs: limitMs(footage, part.expected) },
      ...{ threads: Math.max(1, Math.floor(threads / atOnce)), frames: part.expected },
      filters: [...holdFilters(part.held, rate), ...drawnSubtitles(filter, part.start, rate)],
      onFrames: (encoded) => report(range.first, encoded),
    })
    const kept = await keep(path, { first: range.first, frames })
    return { ...kept, ...part, frames }
  }
  const work = ranges.map((range) =>
    limit(() => encode(range)).catch((error: unknown) => {
      failure.abort(error)
      throw error
    }),
  )
  // All programs end before their folder is removed.
  await Promise.allSettled(work)
  const parts = await Promise.all(work)
  checkComplete(file.name, parts, footage)
  return parts.filter(({ frames }) => frames > 0)
}

interface PlannedPart extends FrameRange {
  /** Frames that are held, by their numbers in the part. */
  readonly held: readonly HeldFrame[]
  /** Number of its first frame in the result, and number of its frames there. */
  readonly start: number
  readonly expected: number
}

function plannedPart({ first, count }: FrameRange, held: readonly HeldFrame[]): PlannedPart {
  const own = held.filter(({ frame }) => frame >= first && frame < first + count)
  return {
    ...{ first, count, start: first + framesHeldBefore(held, first) },
    held: own.map(({ frame, extra }) => ({ frame: frame - first, extra })),
    expected: count + framesHeldBefore(own, first + count),
  }
}

/** Returns the filters that draw subtitles at the times of the result; libass counts whole milliseconds. */
function drawnSubtitles(filter: string | undefined, start: number, rate: Rational): string[] {
  if (filter === undefined) return []
  const microseconds = `(N+${start})*${rate.den * 1e6}/${rate.num}+500`
  return ['settb=AVTB', `setpts=${microseconds}`, filter, `settb=${rate.den}/${rate.num}`, 'setpts=N']
}

/** Throws 6021 if frames are missing that the file states. */
function checkComplete(
  name: string,
  parts: readonly (PlannedPart & { readonly frames: number })[],
  { rate, first }: WholePicture,
): void {
  const decoded = parts.map(({ expected, frames, ...range }) => ({
    ...range,
    frames: Math.max(0, range.count - (expected - frames)),
  }))
  checkPartsComplete(name, decoded, { rate: hertz(rate), start: first })
}
