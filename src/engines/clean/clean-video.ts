import { join } from 'node:path'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { uprightSize } from '../../media/geometry.ts'
import { decodeFrames, type Footage } from '../ffmpeg/decode-frames.ts'
import { openStepCache } from '../ffmpeg/step-cache.ts'
import { learnedModelChecksums } from '../vision/learned-models.ts'
import { lookAheadFrames } from '../../media/clean/inpaint/inpainter.ts'
import { OverlayLearner, type PatchOverlay } from '../../media/clean/inpaint/overlay.ts'
import { createPatchLookup, type MarkedRegions } from '../../media/clean/masks.ts'
import { evenSize } from '../../media/clean/region.ts'
import { hertz } from '../../media/frame-rate.ts'
import { joinWithSource } from './join.ts'
import { type KeptContent, selectKeptContent } from './kept-streams.ts'
import { processParts } from './part-threads.ts'
import type { FrameRange, PartJob } from './part.ts'
import { checkPartsComplete, splitIntoParts, type WholePicture } from './parts.ts'
import { chooseQuality, type EncodingQuality } from './quality.ts'

/** Options of `cleanVideo`. */
interface CleanVideoOptions {
  readonly file: StagedFile
  readonly footage: WholePicture
  /**
   * Frames that the result needs, in order, disjoint, each range of at least a second. Default: all. Between ranges the
   * picture holds the last frame of the range before, so that all times stay those of the source.
   */
  readonly ranges?: readonly FrameRange[]
  readonly marked: MarkedRegions
  readonly treatment: PartJob['treatment']
  readonly timeoutMs: number
  /** Called with 0 to 1, never decreasing. */
  readonly onShare: (share: number) => void
}

/** Limit of the total size of frames processed at once, in pixels: each part buffers some dozen frames. */
const maxPixelsAtOnce = 4 * 1920 * 1080

/** A part for which no frame could be decoded. */
const missingPart = { path: '', frames: 0 }

/** Limit of concurrent parts with models: each part loads its own copy, and models use many threads well. */
const maxPartsWithModels = 2

/** Share of the progress for learning overlays. */
const learningShare = 0.05

function maxPartsAtOnce({ video }: Footage, threads: number, hasModels: boolean): number {
  const { width, height } = uprightSize(video)
  const limit = hasModels ? Math.min(threads, maxPartsWithModels) : threads
  return Math.max(1, Math.min(limit, Math.floor(maxPixelsAtOnce / (width * height))))
}

/**
 * Treats a video in parts, several at once, and joins them with the other streams of its file. Returns the path of the
 * result.
 */
export async function cleanVideo(
  { file, footage, ranges: wanted, marked, treatment, timeoutMs, onShare }: CleanVideoOptions,
  { scratch, steps, threads, signal }: Pick<RunContext, 'scratch' | 'steps' | 'threads' | 'signal'>,
): Promise<{ readonly path: string; readonly kept: KeptContent; readonly quality: EncodingQuality }> {
  const fps = hertz(footage.rate)
  const stepCache = await openStepCache(steps)
  const source = { stream: footage.stream, rate: footage.rate, video: footage.video }
  const reading = { scratch, threads, signal, timeoutMs }
  const kept = await selectKeptContent(footage, reading)
  const learned = treatment === 'inpainting' ? await learnedModelChecksums() : {}
  const hasModels = Object.keys(learned).length > 0
  const atOnce = maxPartsAtOnce(footage, threads, hasModels)
  const choose = () => chooseQuality(footage, { fileSize: file.size, atOnce, ...reading })
  const chosen = await stepCache.text('coding', source, async () => JSON.stringify(await choose()))
  const quality = JSON.parse(chosen) as EncodingQuality
  const needed = wanted ?? [footage]
  const ranges = needed.flatMap((range) => splitRange(range, fps, treatment === 'blur'))
  const partInputs = {
    ...{ ...source, marked, treatment, quality, learned, parts: ranges.length },
    ...(wanted && { ranges: wanted }),
  }
  const { finished: finishedParts, keep: storePart } = await stepCache.parts(partInputs)
  const frameTotal = needed.reduce((sum, { count }) => sum + count, 0)
  let done = ranges.reduce((sum, { first, count }) => sum + (finishedParts.has(first) ? count : 0), 0)
  const remaining = ranges.filter(({ first }) => !finishedParts.has(first))
  const learnedShare = remaining.length > 0 && treatment === 'inpainting' ? learningShare : 0
  const onLearned = (share: number) => onShare(learnedShare * share)
  const overlays =
    learnedShare > 0
      ? await learnOverlays({ footage, marked, ranges: needed }, { ...reading, onShare: onLearned })
      : []
  const jobs = remaining.map((range) => ({
    ...range,
    ...{ path: join(scratch, `part-${range.first}.mp4`), footage, marked, treatment, timeoutMs },
    ...{ overlays, ...quality },
    contextFrames: treatment === 'blur' ? 0 : lookAheadFrames(fps),
    threads: Math.max(1, Math.floor(threads / atOnce)),
  }))
  await processParts(jobs, {
    ...{ atOnce, hasModels, signal },
    onFrames(newFrames) {
      done += newFrames
      onShare(learnedShare + ((1 - learnedShare) * done) / frameTotal)
    },
    async onDone({ first, path }, frames) {
      finishedParts.set(first, await storePart(path, { first, frames }))
    },
  })
  const parts = ranges.map((range) => ({ ...(finishedParts.get(range.first) ?? missingPart), ...range }))
  checkPartsComplete(file.name, parts, { rate: fps, start: footage.first })
  const path = join(scratch, `clean${kept.extension}`)
  const shown = parts.filter(({ frames }) => frames > 0)
  const startFrame = shown[0]?.first ?? footage.first
  await joinWithSource(path, {
    ...{ source: file.path, kept, rate: fps, cwd: scratch, signal, timeoutMs },
    start: footage.video.start_ms / 1000 + (startFrame - footage.first) / fps,
    ...{ list: join(steps, 'parts.txt'), parts: lastingParts(shown) },
  })
  return { path, kept, quality }
}

/** Returns parts that each last until the next one starts. */
function lastingParts(
  parts: readonly { readonly path: string; readonly first: number; readonly frames: number }[],
) {
  return parts.map(({ path, first, frames }, index) => ({
    path,
    frames: (parts[index + 1]?.first ?? first + frames) - first,
  }))
}

/** Splits a range into parts, of which the last one is marked. */
function splitRange(range: FrameRange, fps: number, areIndependent: boolean) {
  return splitIntoParts(range, fps, areIndependent).map((part, index, all) => ({
    ...part,
    isLast: index === all.length - 1,
  }))
}

/** Frames per second to analyse, and their limit for the whole video. */
const samplesPerSecond = 5
const maxSamples = 400

interface LearnOptions {
  readonly threads: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Called with 0 to 1, never decreasing. */
  readonly onShare: (share: number) => void
}

/** A picture, its regions, and the frames to learn from, by default all. */
interface LearnedPicture {
  readonly footage: Footage & FrameRange
  readonly marked: MarkedRegions
  readonly ranges?: readonly FrameRange[]
}

/**
 * Learns translucent overlays on the marked regions from frames of all ranges, so that estimates are precise and
 * all parts remove the same overlay. Decodes nothing if no region lasts long enough.
 */
export async function learnOverlays(
  { footage, marked, ranges = [footage] }: LearnedPicture,
  { onShare, ...reading }: LearnOptions,
): Promise<readonly PatchOverlay[]> {
  const { rate } = footage
  const size = uprightSize(footage.video)
  const patchesAt = createPatchLookup(marked, { size, rate })
  const frames = ranges.reduce((sum, { count }) => sum + count, 0)
  const step = Math.max(1, Math.round(hertz(rate) / samplesPerSecond), Math.ceil(frames / maxSamples))
  const samples = ranges.map(({ first, count }) => ({ first, count: Math.ceil(count / step) }))
  const total = samples.reduce((sum, { count }) => sum + count, 0)
  const overlays = new OverlayLearner(evenSize(size))
  for (const { first, count } of samples) {
    for (let sample = 0; sample < count; sample += 1) overlays.countPatches(patchesAt(first + sample * step))
  }
  if (!overlays.hasCandidates) return []
  let done = 0
  for (const { first, count } of samples) {
    let sample = 0
    for await (const frame of decodeFrames(footage, { first, count, step, ...reading })) {
      overlays.sample(frame, patchesAt(first + sample * step))
      sample += 1
      done += 1
      onShare(done / total)
    }
  }
  return overlays.overlays
}
