import { join, parse } from 'node:path'
import type { RunContext, RunOperation, StagedFile } from '../../src/contract/operation.ts'
import { cleanLine, loadDrawing } from '../../src/engines/canvas/drawing.ts'
import { decodeSound, type StereoSound } from '../../src/engines/ffmpeg/sound.ts'
import { soundRate } from '../../src/engines/ffmpeg/sound-filters.ts'
import { AudioFeatureTracker, type AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { AudioProfiler, type AudioProfile } from '../../src/media/audio/audio-profile.ts'
import { replayable } from '../../src/media/audio/replayable.ts'
import { darken, drawBuiltInBackground, drawPlaceholderCover, pixelsToCanvas } from './built-in-images.ts'
import { type Background, type PreparedDrawing, prepareDrawing } from './frames.ts'
import type { musicVisualizer } from './contract.ts'
import { encodeVisualizer } from './encode.ts'
import { Palette } from './palette.ts'
import { readImage, readVideo } from './read-images.ts'
import { expectedVisualizerSeconds } from './plan.ts'
import type { Scene, Template } from './scene.ts'
import {
  isVideoFile,
  readVisualizerRequest,
  type VisualizerRequest,
  type VisualizerInput,
} from './request.ts'
import { templateFactories } from './templates.ts'

/** Analyses the whole sound, then draws and encodes the video frame by frame. */
export const run: RunOperation<typeof musicVisualizer> = async (input, context) => {
  const request = readVisualizerRequest(input, context.files)
  const { frames, seconds, mono } = request
  const sound: StereoSound = { path: request.music.path, mono, seconds }
  const timeoutMs = visualizerTimeoutMs(expectedVisualizerSeconds(input, request))
  const reading = { signal: context.signal, timeoutMs }
  const readSound = replayable(() => decodeSound(sound, reading))
  const profile = await surveySound(readSound(), { seconds, context })
  const scene = await createScene(input, request, { profile, signal: context.signal })
  const template = templateFactories[input.template_id](scene)
  const backdrop = await loadBackground({ input, request, scene, template }, reading)
  const path = join(context.scratch, 'visualizer.mp4')
  const tracking = { profile, fps: input.fps, frames }
  const drawn = prepareDrawing(scene, template, backdrop)
  await encodeVisualizer(
    {
      drawn,
      moments: readMoments(readSound(), tracking),
      ...input.resolution,
      fps: input.fps,
      frames,
      sound,
    },
    context,
    {
      path,
      timeoutMs,
      onFrames: (done) => context.progress(surveyPercent + ((100 - surveyPercent) * done) / frames),
    },
  )
  const notes = visualizerNotes(input, template, drawn)
  const name = `${[...parse(request.music.name).name].slice(0, 60).join('')}-${input.template_id}.mp4`
  return {
    ...context.keep({ path, name }),
    duration: Math.round(seconds * 1000) / 1000,
    video_size: input.resolution,
    template_id: input.template_id,
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/** Returns notes about truncated text and an ignored cover. */
function visualizerNotes(
  { cover_file_id, template_id }: VisualizerInput,
  { showsCover = false }: Template,
  { truncated }: PreparedDrawing,
): string[] {
  return [
    ...truncated.map((field) => `${field} did not fit and was truncated with …`),
    ...(cover_file_id !== undefined && !showsCover
      ? [`cover_file_id is ignored: template_id ${template_id} shows no cover; nowplaying, ring and vinyl do`]
      : []),
  ]
}

/** Progress in percent when the sound has been analysed. */
const surveyPercent = 4

/** Returns a generous time limit in ms, because a busy machine is much slower than estimated: only ends hanging work. */
function visualizerTimeoutMs(expected: number): number {
  return (10 * 60 + 30 * expected) * 1000
}

interface DecodeOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

async function surveySound(
  sound: AsyncIterable<Float32Array>,
  { seconds, context }: { readonly seconds: number; readonly context: Pick<RunContext, 'progress'> },
): Promise<AudioProfile> {
  const profiler = new AudioProfiler()
  let done = 0
  for await (const samples of sound) {
    profiler.push(samples)
    done += samples.length / 2 / soundRate
    context.progress((surveyPercent * done) / seconds)
  }
  return profiler.finish()
}

/** Yields the audio features of each frame. */
async function* readMoments(
  sound: AsyncIterable<Float32Array>,
  tracking: ConstructorParameters<typeof AudioFeatureTracker>[0],
): AsyncGenerator<AudioFeatures> {
  const tracker = new AudioFeatureTracker(tracking)
  for await (const samples of sound) yield* tracker.push(samples)
  yield* tracker.finish()
}

/** Largest side of the scaled cover, pixels. */
const maxCoverSide = 1024

async function createScene(
  input: VisualizerInput,
  { cover, seconds }: VisualizerRequest<StagedFile>,
  { profile, signal }: { profile: AudioProfile; signal: AbortSignal },
): Promise<Scene> {
  const drawing = await loadDrawing()
  const { width, height } = input.resolution
  const unit = Math.min(width, height)
  const palette = new Palette(input)
  const side = Math.min(maxCoverSide, Math.max(2, 2 * Math.round(unit * 0.2)))
  const square = { width: side, height: side }
  return {
    drawing,
    ...{ width, height, unit, margin: 0.06 * unit },
    palette,
    title: cleanLine(input.track),
    artist: cleanLine(input.artist),
    ...{ seconds, profile },
    cover: cover
      ? pixelsToCanvas(drawing, square, await readImage(cover, square, { signal }))
      : drawPlaceholderCover(drawing, side, palette),
  }
}

interface BackgroundOptions {
  readonly input: VisualizerInput
  readonly request: VisualizerRequest<StagedFile>
  readonly scene: Scene
  readonly template: Template
}

/** Least blur in pixels at which half the resolution looks the same. */
const minSoftBlur = 4

async function loadBackground(
  { input, request, scene, template }: BackgroundOptions,
  reading: DecodeOptions,
): Promise<Background> {
  const { background, frames } = request
  const { blur, fps } = input
  const size = { width: scene.width, height: scene.height }
  if (background && isVideoFile(background)) {
    const picture = await readVideo(background, { ...reading, size, blur, fps, count: frames })
    return { picture, soft: blur >= minSoftBlur }
  }
  const ground = drawBuiltInBackground(scene.drawing, size, scene.palette)
  const pen = ground.getContext('2d')
  if (!background) {
    template.drawOrnament?.(pen)
    return { picture: ground, soft: true }
  }
  const pixels = await readImage(background, size, { blur, signal: reading.signal })
  pen.drawImage(pixelsToCanvas(scene.drawing, size, pixels), 0, 0)
  darken(pen, size)
  return { picture: ground, soft: blur >= minSoftBlur }
}
