import { join } from 'node:path'
import type { RunContext, RunOperation } from '../../src/contract/operation.ts'
import { joinParts } from '../../src/engines/ffmpeg/join-parts.ts'
import { encodeAac, type Pcm } from '../../src/engines/ffmpeg/sound.ts'
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
  await renderTimeline(timeline, context, path)
  const { width, height, seconds } = timeline
  const notes = hdrMaterialNames(timeline, files).map(
    (name) => `${name} is HDR; it was tone-mapped to standard range (bt709)`,
  )
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
const pixelsAtOnce = 4 * 1920 * 1080

/** Share of joining in the total work, percent. */
const joiningPercent = 2

async function renderTimeline(timeline: Timeline, context: RunContext, path: string): Promise<void> {
  const { files, scratch, threads } = context
  const timeoutMs = (10 * 60 + 30 * timelineRenderSeconds(timeline, files)) * 1000
  const failed = new AbortController()
  const signal = AbortSignal.any([context.signal, failed.signal])
  /** The first failure aborts all other work. */
  const endAll = (error: unknown): never => {
    failed.abort(error)
    throw error
  }
  const wish = await pictureOptions(timeline, context)
  const atOnce = partsAtOnce(timeline, threads)
  const parts = divideTimeline(timeline, wish, atOnce).map((part, index) => ({
    part,
    frames: totalUnits(part.groups.flat()),
    path: join(scratch, `part-${index}.mp4`),
  }))
  const made = new Map<string, number>()
  const inTurn = limitConcurrency(atOnce)
  const share = Math.max(1, Math.floor(threads / Math.min(atOnce, parts.length)))
  const encode = ({ part, path: one }: (typeof parts)[number], withSound?: Pcm) =>
    encodePart(one, {
      ...{ part, picture: wish, context, signal, timeoutMs, sound: withSound },
      threads: share,
      onFrames(frames) {
        made.set(one, frames)
        const done = [...made.values()].reduce((sum, count) => sum + count, 0) / timeline.frames
        context.progress(done * (100 - joiningPercent))
      },
    })
  const sound = timelineSound({ timeline, context, signal, timeoutMs })
  const [whole] = parts
  if (whole && parts.length === 1) {
    const input = (ended: AbortSignal) => reportingFailure(sound.input(ended), ended, endAll)
    await encode({ ...whole, path }, { ...sound, input })
    return
  }
  const heard = join(scratch, 'sound.m4a')
  await allSettledOrThrow([
    encodeAac(heard, sound, { cwd: scratch, signal, timeoutMs }).catch(endAll),
    ...parts.map((part) => inTurn(() => encode(part)).catch(endAll)),
  ])
  await joinParts(path, { parts, rate: timeline.rate, sound: heard, signal, timeoutMs })
}

/** Yields the input. Reports its failure immediately, unless its consumer has already ended. */
async function* reportingFailure<T>(
  input: AsyncIterable<T>,
  ended: AbortSignal,
  tell: (error: unknown) => never,
): AsyncGenerator<T> {
  try {
    yield* input
  } catch (error) {
    if (!ended.aborted) tell(error)
  }
}

/** Waits until all promises settle, then throws the first error. */
async function allSettledOrThrow(work: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(work)
  await Promise.all(work)
}

async function pictureOptions(timeline: Timeline, { files, signal }: RunContext): Promise<PictureOptions> {
  const videos = new Map(
    timeline.picture.map((clip) => [clip.material, videoOf(clip, files.get(clip.material))]),
  )
  const known = (material: string) => {
    const video = videos.get(material)
    if (!video) throw new Error(`no clip of the picture shows ${material}`)
    return video
  }
  return {
    canvas: timeline,
    videoOf: known,
    decodesThrough: await decodeThrough(timeline, { files, videoOf: known, signal }),
  }
}

/**
 * Returns the number of parts encoded in parallel. Parallel encoders use cores better than one with as many
 * threads, but each keeps frames in memory.
 */
function partsAtOnce({ width, height }: Timeline, threads: number): number {
  return Math.max(1, Math.min(threads, Math.floor(pixelsAtOnce / (width * height))))
}
