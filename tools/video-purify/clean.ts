import { join } from 'node:path'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { uprightSize } from '../../src/media/geometry.ts'
import { decodeFrames, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { openStepCache } from '../../src/engines/ffmpeg/step-cache.ts'
import { learnedModelChecksums } from '../../src/engines/vision/learned-models.ts'
import { lookAheadFrames } from '../../src/media/clean/inpaint/inpainter.ts'
import { OverlayLearner, type PatchOverlay } from '../../src/media/clean/inpaint/overlay.ts'
import { createPatchLookup, type MarkedRegions } from '../../src/media/clean/masks.ts'
import { evenSize } from '../../src/media/clean/region.ts'
import { hertz } from '../../src/media/frame-rate.ts'
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
  { file, footage, marked, treatment, timeoutMs, onShare }: CleanVideoOptions,
  { scratch, steps, threads, signal }: RunContext,
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
  const ranges = splitIntoParts(footage, fps, treatment === 'blur')
  const partInputs = { ...source, marked, treatment, quality, learned, parts: ranges.length }
  const { finished: finishedParts, keep: storePart } = await stepCache.parts(partInputs)
  let done = ranges.reduce((sum, { first, count }) => sum + (finishedParts.has(first) ? count : 0), 0)
  const remaining = ranges.filter(({ first }) => !finishedParts.has(first))
  const learnedShare = remaining.length > 0 && treatment === 'inpainting' ? learningShare : 0
  const onLearned = (share: number) => onShare(learnedShare * share)
  const overlays =
    learnedShare > 0 ? await learnOverlays({ footage, marked }, { ...reading, onShare: onLearned }) : []
  const jobs = remaining.map((range) => ({
    ...range,
    ...{ path: join(scratch, `part-${range.first}.mp4`), footage, marked, treatment, timeoutMs },
    ...{ overlays, ...quality },
    contextFrames: treatment === 'blur' ? 0 : lookAheadFrames(fps),
    isLast: range === ranges.at(-1),
    threads: Math.max(1, Math.floor(threads / atOnce)),
  }))
  await processParts(jobs, {
    ...{ atOnce, hasModels, signal },
    onFrames(newFrames) {
      done += newFrames
      onShare(learnedShare + ((1 - learnedShare) * done) / footage.count)
    },
    async onDone({ first, path }, frames) {
      finishedParts.set(first, await storePart(path, { first, frames }))
    },
  })
  const parts = ranges.map(({ first, count }) => ({ ...(finishedParts.get(first) ?? missingPart), count }))
  checkPartsComplete(file.name, parts, fps)
  const path = join(scratch, `clean${kept.extension}`)
  await joinWithSource(path, {
    ...{
      source: file.path,
      kept,
      rate: fps,
      start: footage.video.start_ms / 1000,
      cwd: scratch,
      signal,
      timeoutMs,
    },
    list: join(steps, 'parts.txt'),
    parts: parts.filter(({ frames }) => frames > 0),
  })
  return { path, kept, quality }
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

/**
 * Learns translucent overlays on the marked regions from frames of the whole video, so that estimates are precise and
 * all parts remove the same overlay. Decodes nothing if no region lasts long enough.
 */
export async function learnOverlays(
  { footage, marked }: { readonly footage: Footage & FrameRange; readonly marked: MarkedRegions },
  { onShare, ...reading }: LearnOptions,
): Promise<readonly PatchOverlay[]> {
  const { first, rate } = footage
  const size = uprightSize(footage.video)
  const patchesAt = createPatchLookup(marked, { size, rate })
  const step = Math.max(1, Math.round(hertz(rate) / samplesPerSecond), Math.ceil(footage.count / maxSamples))
  const count = Math.ceil(footage.count / step)
  const overlays = new OverlayLearner(evenSize(size))
  for (let sample = 0; sample < count; sample += 1) overlays.countPatches(patchesAt(first + sample * step))
  if (!overlays.hasCandidates) return []
  let sample = 0
  for await (const frame of decodeFrames(footage, { first, count, step, ...reading })) {
    overlays.sample(frame, patchesAt(first + sample * step))
    sample += 1
    onShare(sample / count)
  }
  return overlays.overlays
}
