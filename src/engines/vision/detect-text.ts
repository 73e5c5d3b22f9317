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
import { openTextDetector, type TextDetector } from './text-detector.ts'

/** Where and how text is looked for. */
export interface DetectTextOptions {
  /** Areas over time in which text counts; left out, everywhere and always. */
  readonly within?: readonly Region[]
  /** When regions end at the latest, s: a list holds none that begins after the end its video tells. */
  readonly until?: number
  /** Only the lines of the subtitles. */
  readonly subtitles?: boolean
  /** Most regions; left out, all there are. */
  readonly most?: number
  readonly threads: number
  readonly signal?: AbortSignal | undefined
  /** Told 0 to 100, rising. */
  readonly onProgress?: ((percent: number) => void) | undefined
}

/** Frames before and after a sample in which its text's ends are looked for, s. */
const endSearchSeconds = 1.5

/** The lines of text of a video, each with its first and last frame; none of a file without a picture. */
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
  const wanted = search.subtitles ? selectSubtitles(texts, grid, hertz(rate)) : texts
  const first = firstFrameIndex(video, rate)
  const { within, until = Infinity, most = Infinity } = search
  return limitRegions(wanted, {
    regionsOf(text) {
      const regions = clipToTime(textRegions(shiftText(text, first), grid), until)
      return within ? clipToAreas(regions, within) : regions
    },
    max: most,
  })
}

/** A text whose frames are counted from so many frames earlier. */
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

/** Samples are looked at while the frames around them are still kept. */
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
      // It is told where all are awaited.
      text.catch(() => {})
      texts.push(text)
    },
  })
  const looking: PendingSample[] = []
  const take = async () => {
    const next = looking.shift()
    if (next) follower.sample(next.frame, await next.boxes)
  }
  for await (const frame of gridFrames(path, { ...grid, video, threads, signal })) {
    const index = ring.end
    ring.add(frame.bytes)
    if (index % step !== 0) continue
    const wanted = timeRelation(search.within, (first + index) / fps)
    if (wanted === 'past') break
    const boxes = wanted === 'now' ? detector.find({ ...frame, bytes: frame.bytes.slice() }) : noBoxes
    // It is told where it is awaited.
    boxes.catch(() => {})
    looking.push({ frame: index, boxes })
    if (looking.length > threads) await take()
    search.onProgress?.(Math.min(99, (100 * index) / frames))
  }
  while (looking.length > 0) await take()
  follower.end()
  const found = (await Promise.all(texts)).filter((text) => text !== undefined)
  return { found, frames: ring.end }
}

/** Time around an area's own in which text is followed, s. */
const roiMarginSeconds = 1

/** How an area counts at a time: not any more, now or still to come; everywhere where there are none. */
function timeRelation(within: readonly Region[] | undefined, seconds: number): 'past' | 'now' | 'later' {
  if (!within) return 'now'
  if (
    within.some(({ start, end }) => start - roiMarginSeconds <= seconds && seconds <= end + roiMarginSeconds)
  )
    return 'now'
  return within.some(({ start }) => start > seconds) ? 'later' : 'past'
}

/** A text if it is one at another scale too. */
async function confirmText(
  { text, picture, line }: TextCandidate,
  detector: TextDetector,
): Promise<FoundText | undefined> {
  const look = prepareRescore(picture, line)
  const score = Math.min(text.score, rescore(look, await detector.find(look.frame)))
  const sure = { ...text, score }
  return isText(sure) ? sure : undefined
}

/** Samples of a text after which its beginning is looked for, so that it has come whole. */
const samplesToBegin = 3

interface TextFollowerOptions {
  readonly picture: Pick<PixelGrid, 'width' | 'height'>
  readonly reach: number
  readonly onText: (text: TextCandidate) => void
}

/** Follows the texts of samples that come in order, and tells of each once it is over and its ends are known. */
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
