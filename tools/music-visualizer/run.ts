import { join, parse } from 'node:path'
import type { ReadyOperation, RunContext, RunOperation, StagedFile } from '../../src/contract/operation.ts'
import { loadDrawing } from '../../src/engines/canvas/load.ts'
import { cleanLine } from '../../src/engines/canvas/text.ts'
import { toneMapFilters } from '../../src/engines/ffmpeg/colour.ts'
import { requireFilters } from '../../src/engines/ffmpeg/filters.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { decodeSound, type Sound } from '../../src/engines/ffmpeg/sound.ts'
import { soundRate } from '../../src/engines/ffmpeg/standard-sound.ts'
import { AudioFeatureTracker, type AudioFeatures } from '../../src/media/audio/moments.ts'
import { AudioProfiler, type AudioProfile } from '../../src/media/audio/survey.ts'
import { drawGround, drawShade, toCanvas } from './backdrop.ts'
import type { Backdrop } from './behind.ts'
import type { musicVisualizer } from './contract.ts'
import { drawPlaceholder } from './cover.ts'
import { encode } from './encode.ts'
import { prepare, type Drawn } from './frames.ts'
import { Palette } from './palette.ts'
import { readImage, readVideo } from './pictures.ts'
import { expectedSeconds } from './plan.ts'
import type { Scene, Template } from './scene.ts'
import { isMoving, readRequest, type Given, type VisualizerInput } from './song.ts'
import { templates } from './templates.ts'

/** Listens to the whole piece, then draws and encodes it frame by frame. */
export const run: RunOperation<typeof musicVisualizer> = async (input, context) => {
  const given = readRequest(input, context.files)
  const { frames, seconds, mono } = given
  const sound: Sound = { path: given.music.path, mono, seconds }
  const timeoutMs = longestMs(expectedSeconds(input, given))
  const reading = { signal: context.signal, timeoutMs }
  const profile = await survey(sound, { ...reading, context })
  const scene = await setScene(input, given, { profile, signal: context.signal })
  const template = templates[input.template_id](scene)
  const backdrop = await readBackdrop({ input, given, scene, template }, reading)
  const path = join(context.scratch, 'visualizer.mp4')
  const wish = { profile, fps: input.fps, frames }
  const drawn = prepare(scene, template, backdrop)
  await encode(
    {
      drawn,
      moments: follow(sound, wish, reading),
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
  const notes = notesOn(input, template, drawn)
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
function notesOn(
  { cover_file_id, template_id }: VisualizerInput,
  { showsCover = false }: Template,
  { cut }: Drawn,
): string[] {
  return [
    ...cut.map((field) => `${field} was cut with … where it did not fit: a shorter one shows whole`),
    ...(cover_file_id !== undefined && !showsCover
      ? [`cover_file_id is not shown by ${template_id}: template_id tells which templates show a cover`]
      : []),
  ]
}

/** Throws 6401 where ffmpeg or the drawing library is missing, or what maps an HDR background to standard range. */
export const ready: ReadyOperation<typeof musicVisualizer> = async (request) => {
  await locateFfmpeg()
  await loadDrawing()
  const background = request && readRequest(request.input, request.files).background
  if (!background?.facts?.video?.hdr) return
  await requireFilters(toneMapFilters, {
    because: `${background.name} is HDR`,
    instead: 'convert it to SDR first',
  })
}

/** Share of the work that listening is, percent. */
const surveyPercent = 4

/** A machine may be busy and much slower than the one measured; this only ends what hangs. */
function longestMs(expected: number): number {
  return (10 * 60 + 30 * expected) * 1000
}

interface Reading {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

async function survey(
  sound: Sound,
  { context, ...reading }: Reading & { readonly context: Pick<RunContext, 'progress'> },
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
async function* follow(
  sound: Sound,
  wish: ConstructorParameters<typeof AudioFeatureTracker>[0],
  reading: Reading,
): AsyncGenerator<AudioFeatures> {
  const moments = new AudioFeatureTracker(wish)
  for await (const samples of decodeSound(sound, reading)) yield* moments.push(samples)
  yield* moments.finish()
}

/** Longest side of a cover that is drawn from, pixels. */
const coverSide = 1024

async function setScene(
  input: VisualizerInput,
  { cover, seconds }: Given<StagedFile>,
  { profile, signal }: { profile: AudioProfile; signal: AbortSignal },
): Promise<Scene> {
  const drawing = await loadDrawing()
  const { width, height } = input.resolution
  const unit = Math.min(width, height)
  const palette = new Palette(input)
  const side = Math.min(coverSide, Math.max(2, 2 * Math.round(unit * 0.2)))
  const square = { width: side, height: side }
  return {
    drawing,
    ...{ width, height, unit, margin: 0.06 * unit },
    palette,
    title: cleanLine(input.track),
    artist: cleanLine(input.artist),
    ...{ seconds, profile },
    cover: cover
      ? toCanvas(drawing, square, await readImage(cover, square, { signal }))
      : drawPlaceholder(drawing, side, palette),
  }
}

interface Stage {
  readonly input: VisualizerInput
  readonly given: Given<StagedFile>
  readonly scene: Scene
  readonly template: Template
}

/** From this blur on, pixels, half as many pixels a side show the same. */
const softBlur = 4

async function readBackdrop({ input, given, scene, template }: Stage, reading: Reading): Promise<Backdrop> {
  const { background, frames } = given
  const { blur, fps } = input
  const size = { width: scene.width, height: scene.height }
  if (background && isMoving(background)) {
    const picture = await readVideo(background, { ...reading, size, blur, fps, count: frames })
    return { picture, soft: blur >= softBlur }
  }
  const ground = drawGround(scene.drawing, size, scene.palette)
  const pen = ground.getContext('2d')
  if (!background) {
    template.ornament?.(pen)
    return { picture: ground, soft: true }
  }
  const pixels = await readImage(background, size, { blur, signal: reading.signal })
  pen.drawImage(toCanvas(scene.drawing, size, pixels), 0, 0)
  drawShade(pen, size)
  return { picture: ground, soft: blur >= softBlur }
}
