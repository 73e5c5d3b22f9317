import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import type { Region } from '../../media/clean/region.ts'
import { constantRate, firstFrameIndex, hertz } from '../../media/frame-rate.ts'
import type { TextBox } from '../../media/text/box.ts'
import { isText, joinEdgeFragments, removeContainedTexts } from '../../media/text/consolidate.ts'
import { createTextTracker, type TextTrack } from '../../media/text/detections.ts'
import { createCandidate, type FoundText, type TextCandidate } from '../../media/text/found-text.ts'
import { createLumaRing, type LumaRing } from '../../media/text/luma.ts'
import { findBeginning, findEnding, type TextEnd } from '../../media/text/onset.ts'
import {
  clipToAreas,
  clipToTime,
  limitRegions,
  type LimitRegionsResult,
  type PixelGrid,
  searchArea,
  textRegions,
} from '../../media/text/regions.ts'
import { prepareRescore, rescore } from '../../media/text/rescore.ts'
import { selectSubtitles } from '../../media/text/subtitle-selection.ts'
import { gridFrames, keptFrameStep, keptSeconds, sampleStep, textSearchGrid } from './grid-frames.ts'
import { openTextDetector, type TextDetector } from './frame-detector.ts'

/** Options of `detectText`. */
export interface DetectTextOptions {
  /** Regions to search; unset searches the whole picture at all times. */
  readonly within?: readonly Region[]
  /** Latest end of a region, in seconds: a region list accepts none that starts after the stated end of the video. */
  readonly until?: number
  /** Return only lines of subtitles. */
  readonly subtitles?: boolean
  /** Limit of regions; unset returns all. */
  readonly most?: number
  readonly threads: number
  readonly signal?: AbortSignal | undefined
  /** Called with 0 to 100, never decreasing. */
  readonly onProgress?: ((percent: number) => void) | undefined
}

/** Time before and after a sample in which to search for the first and last frame of a text, in seconds. */
const endSearchSeconds = 1.5

/** Returns the lines of text of a video with their first and last frames; none if the file has no picture. */
export async function detectText(
  path: string,
  facts: MediaFacts,
  search: DetectTextOptions,
): Promise<LimitRegionsResult> {
  const { video } = facts
  if (!video) return { regions: [], dropped: 0 }
  const rate = constantRate(video)
  const grid = { ...textSearchGrid(video, searchArea(search.within)), rate }
  const { found, frames } = await collectTexts(path, { video, grid, search })
  const step = sampleStep(rate)
  const texts = removeContainedTexts(joinEdgeFragments(found, { ...grid, step, frames }), step)
  const selected = search.subtitles ? selectSubtitles(texts, grid, hertz(rate)) : texts
  const first = firstFrameIndex(video, rate)
  const { within, until = Infinity, most = Infinity } = search
  return limitRegions(selected, {
    regionsOf(text) {
      const regions = clipToTime(textRegions(shiftText(text, first), grid), until)
      return within ? clipToAreas(regions, within) : regions
    },
    max: most,
  })
}

/** Returns a text with its frame indexes increased by `frames`. */
function shiftText(text: FoundText, frames: number): FoundText {
  const { first, last, boxAt } = text
  return { ...text, first: first + frames, last: last + frames, boxAt: (frame) => boxAt(frame - frames) }
}

interface DetectionJob {
  readonly video: VideoFacts
  readonly grid: PixelGrid
  readonly search: DetectTextOptions
}

const noBoxes = Promise.resolve<readonly TextBox[]>([])

interface PendingSample {
  readonly frame: number
  readonly boxes: Promise<readonly TextBox[]>
}

/** Limit of threads: frames around a sample must still be buffered when it is detected. */
const maxDetectorThreads = 2

async function collectTexts(path: string, { video, grid, search }: DetectionJob) {
  const { signal } = search
  const threads = Math.min(search.threads, maxDetectorThreads)
  const fps = hertz(grid.rate)
  const first = firstFrameIndex(video, grid.rate)
  const step = sampleStep(grid.rate)
  const every = keptFrameStep(grid.rate)
  const ring = createLumaRing(grid, { capacity: Math.ceil((keptSeconds * fps) / every), interval: every })
  const frames = Math.max(1, (video.duration_ms / 1000) * fps)
  await using detector = await openTextDetector(threads, signal)
  const texts: Promise<FoundText | undefined>[] = []
  const follower = createTextFollower(ring, {
    picture: grid,
    reach: Math.round(endSearchSeconds * fps),
    onText(candidate) {
      const text = confirmText(candidate, detector)
      // Handled where all texts are awaited.
      text.catch(() => {})
      texts.push(text)
    },
  })
  const pending: PendingSample[] = []
  const processNext = async () => {
    const next = pending.shift()
    if (next) follower.sample(next.frame, await next.boxes)
  }
  for await (const frame of gridFrames(path, { ...grid, video, threads, signal })) {
    const index = ring.end
    ring.add(frame.bytes)
    if (index % step !== 0) continue
    const relation = timeRelation(search.within, (first + index) / fps)
    if (relation === 'past') break
    const boxes = relation === 'now' ? detector.find({ ...frame, bytes: frame.bytes.slice() }) : noBoxes
    // Handled where the boxes are awaited.
    boxes.catch(() => {})
    pending.push({ frame: index, boxes })
    if (pending.length > threads) await processNext()
    search.onProgress?.(Math.min(99, (100 * index) / frames))
  }
  while (pending.length > 0) await processNext()
  follower.end()
  const found = (await Promise.all(texts)).filter((text) => text !== undefined)
  return { found, frames: ring.end }
}

/** Time before and after a region in which text is still tracked, in seconds. */
const roiMarginSeconds = 1

/** Whether the regions are over, active or still to come at a time; without regions always active. */
function timeRelation(within: readonly Region[] | undefined, seconds: number): 'past' | 'now' | 'later' {
  if (!within) return 'now'
  if (
    within.some(({ start, end }) => start - roiMarginSeconds <= seconds && seconds <= end + roiMarginSeconds)
  )
    return 'now'
  return within.some(({ start }) => start > seconds) ? 'later' : 'past'
}

/** Returns a text with its final score, if it is also detected at another scale. */
async function confirmText(
  { text, picture, line }: TextCandidate,
  detector: TextDetector,
): Promise<FoundText | undefined> {
  const rescoring = prepareRescore(picture, line)
  const score = Math.min(text.score, rescore(rescoring, await detector.find(rescoring.frame)))
  const rescored = { ...text, score }
  return isText(rescored) ? rescored : undefined
}

/** Number of samples after which to search for the beginning of a text, so that it is fully visible. */
const samplesToBegin = 3

interface TextFollowerOptions {
  readonly picture: Pick<PixelGrid, 'width' | 'height'>
  readonly reach: number
  readonly onText: (text: TextCandidate) => void
}

/** Creates a tracker that takes samples in order and calls `onText` for each text once it has ended. */
function createTextFollower(ring: LumaRing, { picture, reach: frames, onText }: TextFollowerOptions) {
  const tracker = createTextTracker()
  const beginnings = new Map<TextTrack, TextEnd>()
  const begin = (track: TextTrack) => {
    const known = beginnings.get(track) ?? findBeginning(track, ring, frames)
    beginnings.set(track, known)
    return known
  }
  const finish = (track: TextTrack) => {
    onText(
      createCandidate(track, { beginning: begin(track), ending: findEnding(track, ring, frames), picture }),
    )
    beginnings.delete(track)
  }
  return {
    sample(frame: number, boxes: readonly TextBox[]) {
      const luma = ring.at(frame)
      if (!luma) return
      for (const track of tracker.addSample({ frame, luma, boxes })) finish(track)
      for (const track of tracker.live) if (track.detections.length >= samplesToBegin) begin(track)
    },
    end() {
      for (const track of tracker.live) finish(track)
    },
  }
}
