import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { assumedTextShare, framePixels, treatmentSeconds } from '../../media/clean/cleaning-seconds.ts'
import type { Region } from '../../media/clean/region.ts'
import { frameTime, hertz, pictureEnd } from '../../media/frame-rate.ts'
import type { TimeSpan } from '../../media/speech/speech-types.ts'
import { openStepCache } from '../ffmpeg/step-cache.ts'
import { probe } from '../ffmpeg/probe.ts'
import { detectText } from '../vision/detect-text.ts'
import { cleanVideo } from './clean-video.ts'
import type { FrameRange } from './part.ts'
import { wholePicture, type WholePicture } from './parts.ts'

/** Options of `removeSubtitles`, with those of a run. */
export interface RemoveSubtitlesOptions extends Pick<
  RunContext,
  'scratch' | 'steps' | 'threads' | 'signal' | 'progress'
> {
  /** Frames that will be shown, counted from the start of the file. Default: all. */
  readonly ranges?: readonly FrameRange[]
}

/** A video without its burned-in subtitles. */
export interface WithoutSubtitles {
  /** The video. With `ranges`, other frames repeat the last one of the range before; all times stay. */
  readonly file: StagedFile
  /** Number of regions that were removed. Without any, `file` is the given one. */
  readonly regions: number
}

/** Share of the progress taken by the detection, percent. */
const detectionPercent = 30

/** Frames before and after a range that are cleaned too, in seconds: decoders and rounded times reach there. */
const marginSeconds = 1

/**
 * Frames before and after a range that are searched, in seconds. Longer than a subtitle is shown, so that a sign or a
 * watermark is distinguished from one.
 */
const contextSeconds = 16

/** Gaps up to this long are cleaned with the ranges beside them, seconds: a further part costs as much. */
const maxJoinedGap = 2

/** Least side of a picture that is inpainted, and greatest length in seconds; others are blurred. */
const inpainted = { minSide: 128, maxSeconds: 1200 }

/**
 * Detects the burned-in subtitles of a video, in the frames that will be shown, and fills them with the background.
 * Finished parts are stored in `steps` and reused by the next attempt. Throws 6401 without the pack text-detection,
 * 6017 and 6021 for damaged files.
 */
export async function removeSubtitles(
  file: StagedFile,
  { ranges, progress, ...context }: RemoveSubtitlesOptions,
): Promise<WithoutSubtitles> {
  const footage = await wholePicture(file, context.signal)
  // The first pictures keep the start of the file, from which its times count.
  const start = { first: footage.first, count: 1 }
  const wanted = ranges && widenRanges([start, ...ranges], footage, marginSeconds)
  const found = await detectSubtitles(file, {
    ...{ footage, ranges: ranges && widenRanges(ranges, footage, contextSeconds), ...context },
    progress: (percent) => progress((detectionPercent * percent) / 100),
  })
  const shown = ranges?.map((range) => rangeTimes(range, footage))
  const remove = found.filter((region) => !shown || shown.some((range) => overlaps(region, range)))
  if (remove.length === 0) return { file, regions: 0 }
  const seconds = (wanted ?? [footage]).reduce((sum, { count }) => sum + count, 0) / hertz(footage.rate)
  const { width, height } = footage.video
  const isInpainted = Math.min(width, height) >= inpainted.minSide && seconds <= inpainted.maxSeconds
  const treatment = isInpainted ? 'inpainting' : 'blur'
  const expected = treatmentSeconds(framePixels(footage.video, seconds), {
    ...{ treatment, treatedShare: assumedTextShare },
  })
  const { path } = await cleanVideo(
    {
      ...{ file, footage, treatment, marked: { remove, protect: [] } },
      ...(wanted && { ranges: wanted }),
      timeoutMs: (10 * 60 + 60 * expected) * 1000,
      onShare: (share) => progress(detectionPercent + (100 - detectionPercent) * share),
    },
    context,
  )
  const facts = cleanedFacts(await probe(path, { signal: context.signal }), footage)
  return { file: { ...file, path, size: facts.size, facts }, regions: remove.length }
}

/** Returns ranges with a margin in seconds on both sides, inside of the picture, in order and disjoint. */
export function widenRanges(
  ranges: readonly FrameRange[],
  { first, count, rate }: Pick<WholePicture, 'first' | 'count' | 'rate'>,
  marginLength: number,
): FrameRange[] {
  const margin = Math.ceil(marginLength * hertz(rate))
  const gap = Math.ceil(maxJoinedGap * hertz(rate))
  const joined: { first: number; end: number }[] = []
  const ordered = ranges.toSorted((one, other) => one.first - other.first)
  for (const range of ordered) {
    const start = Math.max(first, range.first - margin)
    const end = Math.min(first + count, range.first + range.count + margin)
    const last = joined.at(-1)
    if (start >= end) continue
    if (last && start <= last.end + gap) last.end = Math.max(last.end, end)
    else joined.push({ first: start, end })
  }
  return joined.map((range) => ({ first: range.first, count: range.end - range.first }))
}

function rangeTimes({ first, count }: FrameRange, { rate }: Pick<WholePicture, 'rate'>): TimeSpan {
  return { start: frameTime(first, rate), end: frameTime(first + count, rate) }
}

function overlaps(one: TimeSpan, other: TimeSpan): boolean {
  return one.start < other.end && other.start < one.end
}

interface DetectSubtitlesOptions extends Omit<RemoveSubtitlesOptions, 'ranges' | 'scratch'> {
  readonly footage: WholePicture
  readonly ranges: readonly FrameRange[] | undefined
}

/** Returns the regions of subtitles, or those that an earlier attempt detected. */
async function detectSubtitles(
  { path, facts, file_id }: StagedFile,
  { footage, ranges, steps, threads, signal, progress }: DetectSubtitlesOptions,
): Promise<readonly Region[]> {
  if (!facts) return []
  const within = ranges?.map((range) => ({ x: 0, y: 0, w: 1, h: 1, ...rangeTimes(range, footage) }))
  const cache = await openStepCache(steps)
  const found = await cache.text('subtitle-regions', { file_id, within }, async () => {
    const options = { subtitles: true, threads, signal, onProgress: progress, ...(within && { within }) }
    return JSON.stringify((await detectText(path, facts, options)).regions)
  })
  return JSON.parse(found) as Region[]
}

/** Facts of a cleaned file: pauses between its ranges are not a variable rate, and its picture ends with the source. */
function cleanedFacts(facts: MediaFacts, { rate, video }: WholePicture): MediaFacts {
  if (!facts.video) return facts
  const { base_rate: _, ...own } = facts.video
  const duration_ms = Math.round(1000 * pictureEnd(video)) - own.start_ms
  const steady: VideoFacts = {
    ...own,
    ...{ frame_rate: rate, steady_rate: rate, variable_rate: false, duration_ms },
  }
  return { ...facts, duration_ms: Math.max(facts.duration_ms, own.start_ms + duration_ms), video: steady }
}
