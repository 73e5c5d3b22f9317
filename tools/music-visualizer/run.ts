import { join, parse } from 'node:path'
import type { RunContext, RunOperation, StagedFile } from '../../src/contract/operation.ts'
import { loadDrawing } from '../../src/engines/canvas/load.ts'
import { cleanLine } from '../../src/engines/canvas/text.ts'
import { decodeSound, type StereoSound } from '../../src/engines/ffmpeg/sound.ts'
import { soundRate } from '../../src/engines/ffmpeg/standard-sound.ts'
import { AudioFeatureTracker, type AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { AudioProfiler, type AudioProfile } from '../../src/media/audio/audio-profile.ts'
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

/** Listens to the whole piece, then draws and encodes it frame by frame. */
export const run: RunOperation<typeof musicVisualizer> = async (input, context) => {
  const given = readVisualizerRequest(input, context.files)
  const { frames, seconds, mono } = given
  const sound: StereoSound = { path: given.music.path, mono, seconds }
  const timeoutMs = visualizerTimeoutMs(expectedVisualizerSeconds(input, given))
  const reading = { signal: context.signal, timeoutMs }
  const profile = await surveySound(sound, { ...reading, context })
  const scene = await createScene(input, given, { profile, signal: context.signal })
  const template = templateFactories[input.template_id](scene)
  const backdrop = await loadBackground({ input, given, scene, template }, reading)
  const path = join(context.scratch, 'visualizer.mp4')
  const wish = { profile, fps: input.fps, frames }
  const drawn = prepareDrawing(scene, template, backdrop)
  await encodeVisualizer(
    {
      drawn,
      moments: readMoments(sound, wish, reading),
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
  const name = `${[...parse(given.music.name).name].slice(0, 60).join('')}-${input.template_id}.mp4`
  return {
    ...context.keep({ path, name }),
    duration: Math.round(seconds * 1000) / 1000,
    video_size: input.resolution,
    template_id: input.template_id,
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/** What of a request does not show as it was given. */
function visualizerNotes(
  { cover_file_id, template_id }: VisualizerInput,
  { showsCover = false }: Template,
  { truncated }: PreparedDrawing,
): string[] {
  return [
    ...truncated.map((field) => `${field} was cut with … where it did not fit: a shorter one shows whole`),
    ...(cover_file_id !== undefined && !showsCover
      ? [`cover_file_id is not shown by ${template_id}: template_id tells which templates show a cover`]
      : []),
  ]
}

/** Share of the work that listening is, percent. */
const surveyPercent = 4

/** A machine may be busy and much slower than the one measured; this only ends what hangs. */
function visualizerTimeoutMs(expected: number): number {
  return (10 * 60 + 30 * expected) * 1000
}

interface DecodeOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

async function surveySound(
  sound: StereoSound,
  { context, ...reading }: DecodeOptions & { readonly context: Pick<RunContext, 'progress'> },
): Promise<AudioProfile> {
  const whole = new AudioProfiler()
  let heard = 0
  for await (const samples of decodeSound(sound, reading)) {
    whole.push(samples)
    heard += samples.length / 2 / soundRate
    context.progress((surveyPercent * heard) / sound.seconds)
  }
  return whole.finish()
}

/** What is heard at each frame, decoded once more as it is drawn, so that hours take no more memory than seconds. */
async function* readMoments(
  sound: StereoSound,
  wish: ConstructorParameters<typeof AudioFeatureTracker>[0],
  reading: DecodeOptions,
): AsyncGenerator<AudioFeatures> {
  const moments = new AudioFeatureTracker(wish)
  for await (const samples of decodeSound(sound, reading)) yield* moments.push(samples)
  yield* moments.finish()
}

/** Longest side of a cover that is drawn from, pixels. */
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
  readonly given: VisualizerRequest<StagedFile>
  readonly scene: Scene
  readonly template: Template
}

/** From this blur on, pixels, half as many pixels a side show the same. */
const minSoftBlur = 4

async function loadBackground(
  { input, given, scene, template }: BackgroundOptions,
  reading: DecodeOptions,
): Promise<Background> {
  const { background, frames } = given
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
