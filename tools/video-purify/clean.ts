import { join } from 'node:path'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { uprightSize, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { stepsIn } from '../../src/engines/ffmpeg/steps.ts'
import { learnedModelChecksums } from '../../src/engines/vision/learned-models.ts'
import { lookAheadFrames } from '../../src/media/clean/inpaint/inpainter.ts'
import type { MarkedRegions } from '../../src/media/clean/masks.ts'
import { hertz } from '../../src/media/frame-rate.ts'
import { joinWithSource } from './join.ts'
import { keptOf, type Kept } from './kept.ts'
import { learnOverlays } from './learn-overlays.ts'
import { makeParts } from './part-threads.ts'
import { checkWhole, partsOf } from './parts.ts'
import type { PartJob } from './part.ts'
import { chooseQuality, type Quality } from './quality.ts'
import type { WholePicture } from './whole-picture.ts'

/** A video to be treated. */
export interface Cleaning {
  readonly file: StagedFile
  readonly footage: WholePicture
  readonly marked: MarkedRegions
  readonly treatment: PartJob['treatment']
  readonly timeoutMs: number
  /** Told 0 to 1, rising. */
  readonly onShare: (share: number) => void
}

/** Output of all parts made at once, pixels a frame: each keeps some dozen frames. */
const pixelsAtOnce = 4 * 1920 * 1080

/** A part of which no picture came. */
const nothing = { path: '', frames: 0 }

/** Parts made at once where models are set: each holds them in memory by itself, and they use many threads well. */
const modelsAtOnce = 2

/** Share of the work that it is to learn what lies over the film. */
const learning = 0.05

function partsAtOnce({ video }: Footage, threads: number, hasModels: boolean): number {
  const { width, height } = uprightSize(video)
  const most = hasModels ? Math.min(threads, modelsAtOnce) : threads
  return Math.max(1, Math.min(most, Math.floor(pixelsAtOnce / (width * height))))
}

/** Treats a video part by part, some at once, and joins them with all else that its file holds; answers where it is. */
export async function cleanVideo(
  { file, footage, marked, treatment, timeoutMs, onShare }: Cleaning,
  { scratch, steps, threads, signal }: RunContext,
): Promise<{ readonly path: string; readonly kept: Kept; readonly quality: Quality }> {
  const fps = hertz(footage.rate)
  const finished = await stepsIn(steps)
  const source = { stream: footage.stream, rate: footage.rate, video: footage.video }
  const reading = { scratch, threads, signal, timeoutMs }
  const kept = await keptOf(footage, reading)
  const learned = treatment === 'inpainting' ? await learnedModelChecksums() : {}
  const hasModels = Object.keys(learned).length > 0
  const atOnce = partsAtOnce(footage, threads, hasModels)
  const choose = () => chooseQuality(footage, { fileSize: file.size, atOnce, ...reading })
  const chosen = await finished.text('coding', source, async () => JSON.stringify(await choose()))
  const quality = JSON.parse(chosen) as Quality
  const stretches = partsOf(footage, fps, treatment === 'blur')
  const madeOf = { ...source, marked, treatment, quality, learned, parts: stretches.length }
  const { made, keep } = await finished.parts(madeOf)
  let done = stretches.reduce((sum, { first, count }) => sum + (made.has(first) ? count : 0), 0)
  const left = stretches.filter(({ first }) => !made.has(first))
  const begun = left.length > 0 && treatment === 'inpainting' ? learning : 0
  const onLearned = (share: number) => onShare(begun * share)
  const laidOver =
    begun > 0 ? await learnOverlays({ footage, marked }, { ...reading, onShare: onLearned }) : []
  const jobs = left.map((stretch) => ({
    ...stretch,
    ...{ path: join(scratch, `part-${stretch.first}.mp4`), footage, marked, treatment, timeoutMs },
    ...{ laidOver, ...quality },
    around: treatment === 'blur' ? 0 : lookAheadFrames(fps),
    isLast: stretch === stretches.at(-1),
    threads: Math.max(1, Math.floor(threads / atOnce)),
  }))
  await makeParts(jobs, {
    ...{ atOnce, hasModels, signal },
    onFrames(more) {
      done += more
      onShare(begun + ((1 - begun) * done) / footage.count)
    },
    async onMade({ first, path }, frames) {
      made.set(first, await keep(path, { first, frames }))
    },
  })
  const parts = stretches.map(({ first, count }) => ({ ...(made.get(first) ?? nothing), count }))
  checkWhole(file.name, parts, fps)
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
