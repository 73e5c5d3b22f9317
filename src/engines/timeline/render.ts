import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RequestFiles, StagedFile } from '../../contract/operation.ts'
import { hertz } from '../../media/frame-rate.ts'
import { totalUnits } from '../../media/timeline/pieces.ts'
import { timelineRenderSeconds } from '../../media/timeline/render-seconds.ts'
import { checkSources, hdrMaterialNames, videoOf } from '../../media/timeline/sources.ts'
import type { Timeline } from '../../media/timeline/timeline.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { joinParts } from '../ffmpeg/join-parts.ts'
import { soundRate } from '../ffmpeg/sound-filters.ts'
import { encodeAac, type Pcm } from '../ffmpeg/sound.ts'
import { limitingPercent, limitTruePeak } from '../ffmpeg/true-peak.ts'
import { subtitleFilter } from '../subtitles/burn.ts'
import { defaultCrf, encodePart } from './encode-part.ts'
import { divideTimeline } from './parts.ts'
import type { PictureOptions } from './picture.ts'
import { decodeThrough } from './seek-cost.ts'
import { timelineSound } from './sound.ts'

export interface RenderTimelineOptions {
  /** Absolute path of the mp4 to create. It is incomplete after a failure. */
  readonly path: string
  /** Files of the materials, by material. */
  readonly files: RequestFiles<StagedFile>
  /** Existing folder for temporary files, which are removed at the end. Several renders may share it. */
  readonly scratch: string
  readonly threads: number
  readonly signal: AbortSignal
  /** Quality of the picture: rate factor of x264, 0 (lossless) to 51. Default: 20. */
  readonly crf?: number
  /**
   * How the sound passes over cuts. A number: length of the fade on each side of every cut, ms; 0: no fade. A list: length of
   * the crossfade at the cut between clips i and i + 1 of the first sound track, ms, see `crossfadedClips`; 0: as by
   * default. Default: 3, which only removes the click.
   */
  readonly fadeMs?: number | readonly number[]
  /** Whether the file has a sound stream, silent if nothing is heard. Default: true. */
  readonly hasSound?: boolean
  /** ASS file whose subtitles are drawn over the picture. Its times are those of the output. */
  readonly subtitles?: { readonly path: string }
  /** Called with 0 to 100. */
  progress(percent: number): void
}

/**
 * Renders a timeline to an mp4. Returns notes for the user: HDR files that were tone-mapped, and a mix that is too loud.
 * Throws 6014, 6016 and 6021 for files that do not fit their clips, also if pictures prove to be missing.
 */
export async function renderTimeline(timeline: Timeline, options: RenderTimelineOptions): Promise<string[]> {
  const { files } = options
  checkSources(timeline, files)
  const scratch = await mkdtemp(join(options.scratch, 'timeline-'))
  try {
    const soundNotes = await renderParts(timeline, { ...options, scratch })
    const hdrNotes = hdrMaterialNames(timeline, files).map(
      (name) => `${name} is HDR; it was tone-mapped to standard range (bt709)`,
    )
    return [...hdrNotes, ...soundNotes]
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Maximum total frame size of the parts encoded in parallel, pixels. The encoder keeps a few dozen frames of
 * each.
 */
const maxParallelPixels = 4 * 1920 * 1080

/** Share of the joining of parts in the total work, percent. */
const joiningPercent = 2

/**
 * Renders parts of the picture and the sound in parallel, then joins them. A short timeline is a single part, encoded
 * together with its sound. The first failure aborts all other work. Returns notes about the sound.
 */
async function renderParts(timeline: Timeline, options: RenderTimelineOptions): Promise<string[]> {
  const { path, files, scratch, threads, crf = defaultCrf, fadeMs, hasSound = true } = options
  const timeoutMs = (10 * 60 + 30 * timelineRenderSeconds(timeline, files)) * 1000
  const failure = new AbortController()
  const signal = AbortSignal.any([options.signal, failure.signal])
  const abortAll = (error: unknown): never => {
    failure.abort(error)
    throw error
  }
  const picture = await pictureOptions(timeline, options)
  const atOnce = partsAtOnce(timeline, threads)
  const parts = await planParts(timeline, picture, { ...options, atOnce })
  const sound = hasSound
    ? timelineSound({ timeline, context: { files, scratch }, signal, timeoutMs, fadeMs })
    : undefined
  const encodingPercent = 100 - joiningPercent - (sound?.isMixed ? limitingPercent : 0)
  const encodedFrames = new Map<string, number>()
  const limit = limitConcurrency(atOnce)
  const threadsPerPart = Math.max(1, Math.floor(threads / Math.min(atOnce, parts.length)))
  const encode = ({ path: partPath, ...part }: (typeof parts)[number], partSound?: Pcm) =>
    encodePart(partPath, {
      ...{ ...part, context: { files, scratch }, signal, timeoutMs, crf, sound: partSound },
      threads: threadsPerPart,
      onFrames(frames) {
        encodedFrames.set(partPath, frames)
        const total = [...encodedFrames.values()].reduce((sum, count) => sum + count, 0)
        options.progress((total / timeline.frames) * encodingPercent)
      },
    })
  const limitMix = async () => {
    if (!sound?.isMixed) return []
    const onProgress = (percent: number) =>
      options.progress(100 - limitingPercent + (percent * limitingPercent) / 100)
    return await limitTruePeak(path, { seconds: sound.samples / soundRate, signal, timeoutMs, onProgress })
  }
  const [onlyPart] = parts
  if (onlyPart && parts.length === 1 && sound) {
    const input = (ended: AbortSignal) => reportFailure(sound.input(ended), ended, abortAll)
    await encode({ ...onlyPart, path }, { ...sound, input })
    return await limitMix()
  }
  const soundPath = sound && join(scratch, 'sound.m4a')
  await allSettledOrThrow([
    ...(sound && soundPath !== undefined
      ? [encodeAac(soundPath, sound, { cwd: scratch, signal, timeoutMs }).catch(abortAll)]
      : []),
    ...parts.map((part) => limit(() => encode(part)).catch(abortAll)),
  ])
  await joinParts(path, { parts, rate: hertz(timeline.rate), sound: soundPath, signal, timeoutMs })
  return await limitMix()
}

/** Divides the picture into parts, each with its file and with the subtitles of its own time. */
async function planParts(
  timeline: Timeline,
  picture: PictureOptions,
  { subtitles, scratch, atOnce }: Pick<RenderTimelineOptions, 'subtitles' | 'scratch'> & { atOnce: number },
) {
  const filter = subtitles && (await subtitleFilter({ ass: await readFile(subtitles.path), folder: scratch }))
  let firstFrame = 0
  return divideTimeline(timeline, picture, atOnce).map((part, index) => {
    const frames = totalUnits(part.groups.flat())
    const drawn = filter === undefined ? undefined : { filter, firstFrame }
    firstFrame += frames
    const path = join(scratch, `part-${index}.mp4`)
    return { part, frames, path, picture: { ...picture, subtitles: drawn } }
  })
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
async function pictureOptions(
  timeline: Timeline,
  { files, signal }: RenderTimelineOptions,
): Promise<PictureOptions> {
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
