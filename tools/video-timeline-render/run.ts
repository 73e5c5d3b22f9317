import { join } from 'node:path'
import type { RunContext, RunOperation } from '../../src/contract/operation.ts'
import { joinParts } from '../../src/engines/ffmpeg/join-parts.ts'
import { soundRate } from '../../src/engines/ffmpeg/sound-filters.ts'
import { encodeAac, type Pcm } from '../../src/engines/ffmpeg/sound.ts'
import { limitingPercent, limitTruePeak } from '../../src/engines/ffmpeg/true-peak.ts'
import { totalUnits } from '../../src/media/timeline/pieces.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import type { videoTimelineRender } from './contract.ts'
import { encodePart } from './encode-part.ts'
import { divideTimeline } from './parts.ts'
import type { PictureOptions } from './picture.ts'
import { timelineRenderSeconds } from './plan.ts'
import { timelineSound } from './sound.ts'
import { checkSources, hdrMaterialNames, videoOf } from './sources.ts'
import { decodeThrough } from './seek-cost.ts'

/**
 * Renders parts of the picture and the sound in parallel, then joins them. A short timeline is a single part,
 * encoded together with its sound.
 */
export const run: RunOperation<typeof videoTimelineRender> = async (input, context) => {
  const timeline = readGtrk(input)
  const { files, scratch } = context
  checkSources(timeline, files)
  const path = join(scratch, 'timeline.mp4')
  const soundNotes = await renderTimeline(timeline, context, path)
  const { width, height, seconds } = timeline
  const notes = [
    ...hdrMaterialNames(timeline, files).map(
      (name) => `${name} is HDR; it was tone-mapped to standard range (bt709)`,
    ),
    ...soundNotes,
  ]
  return {
    ...context.keep({ path, name: `timeline-${width}x${height}-${Math.round(seconds)}s.mp4` }),
    duration: seconds,
    video_size: [width, height],
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/**
 * Maximum total frame size of the parts encoded in parallel, pixels. The encoder keeps a few dozen frames of
 * each.
 */
const maxParallelPixels = 4 * 1920 * 1080

/** Share of the joining of parts in the total work, percent. */
const joiningPercent = 2

/** Renders a timeline to an mp4 at `path`. The first failure aborts all other work. Returns notes for the result. */
async function renderTimeline(timeline: Timeline, context: RunContext, path: string): Promise<string[]> {
  const { files, scratch, threads } = context
  const timeoutMs = (10 * 60 + 30 * timelineRenderSeconds(timeline, files)) * 1000
  const failure = new AbortController()
  const signal = AbortSignal.any([context.signal, failure.signal])
  const abortAll = (error: unknown): never => {
    failure.abort(error)
    throw error
  }
  const picture = await pictureOptions(timeline, context)
  const atOnce = partsAtOnce(timeline, threads)
  const parts = divideTimeline(timeline, picture, atOnce).map((part, index) => ({
    part,
    frames: totalUnits(part.groups.flat()),
    path: join(scratch, `part-${index}.mp4`),
  }))
  const sound = timelineSound({ timeline, context, signal, timeoutMs })
  const encodingPercent = 100 - joiningPercent - (sound.isMixed ? limitingPercent : 0)
  const encodedFrames = new Map<string, number>()
  const limit = limitConcurrency(atOnce)
  const threadsPerPart = Math.max(1, Math.floor(threads / Math.min(atOnce, parts.length)))
  const encode = ({ part, path: partPath }: (typeof parts)[number], partSound?: Pcm) =>
    encodePart(partPath, {
      ...{ part, picture, context, signal, timeoutMs, sound: partSound },
      threads: threadsPerPart,
      onFrames(frames) {
        encodedFrames.set(partPath, frames)
        const total = [...encodedFrames.values()].reduce((sum, count) => sum + count, 0)
        context.progress((total / timeline.frames) * encodingPercent)
      },
    })
  const limitMix = async () => {
    if (!sound.isMixed) return []
    const onProgress = (percent: number) =>
      context.progress(100 - limitingPercent + (percent * limitingPercent) / 100)
    return await limitTruePeak(path, { seconds: sound.samples / soundRate, signal, timeoutMs, onProgress })
  }
  const [onlyPart] = parts
  if (onlyPart && parts.length === 1) {
    const input = (ended: AbortSignal) => reportFailure(sound.input(ended), ended, abortAll)
    await encode({ ...onlyPart, path }, { ...sound, input })
    return await limitMix()
  }
  const soundPath = join(scratch, 'sound.m4a')
  await allSettledOrThrow([
    encodeAac(soundPath, sound, { cwd: scratch, signal, timeoutMs }).catch(abortAll),
    ...parts.map((part) => limit(() => encode(part)).catch(abortAll)),
  ])
  await joinParts(path, { parts, rate: timeline.rate, sound: soundPath, signal, timeoutMs })
  return await limitMix()
}

/** Yields the input. Calls `onFailure` as soon as the input fails, unless its consumer has already ended. */
async function* reportFailure<T>(
  input: AsyncIterable<T>,
  ended: AbortSignal,
  onFailure: (error: unknown) => never,
): AsyncGenerator<T> {
  try {
    yield* input
  } catch (error) {
    if (!ended.aborted) onFailure(error)
  }
}

/** Waits until all promises settle, then throws the first error. */
async function allSettledOrThrow(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(promises)
  await Promise.all(promises)
}

/** Collects the videos of a timeline and decides which gaps to decode through. */
async function pictureOptions(timeline: Timeline, { files, signal }: RunContext): Promise<PictureOptions> {
  const videos = new Map(
    timeline.picture.map((clip) => [clip.material, videoOf(clip, files.get(clip.material))]),
  )
  const videoOfMaterial = (material: string) => {
    const video = videos.get(material)
    if (!video) throw new Error(`no clip of the picture uses ${material}`)
    return video
  }
  return {
    canvas: timeline,
    videoOf: videoOfMaterial,
    decodesThrough: await decodeThrough(timeline, { files, videoOf: videoOfMaterial, signal }),
  }
}

/**
 * Returns the number of parts encoded in parallel. Several encoders use cores better than one encoder with as
 * many threads, but each keeps frames in memory.
 */
function partsAtOnce({ width, height }: Timeline, threads: number): number {
  return Math.max(1, Math.min(threads, Math.floor(maxParallelPixels / (width * height))))
}
