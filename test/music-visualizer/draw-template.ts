import { type Canvas, cleanLine, loadDrawing, type Pen } from '../../src/engines/canvas/drawing.ts'
import { AudioFeatureTracker, type AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { type AudioProfile, AudioProfiler } from '../../src/media/audio/audio-profile.ts'
import { lazy } from '../../src/platform/cache.ts'
import {
  drawBuiltInBackground,
  drawPlaceholderCover,
  pixelsToCanvas,
} from '../../tools/music-visualizer/built-in-images.ts'
import { prepareDrawing } from '../../tools/music-visualizer/frames.ts'
import { Palette } from '../../tools/music-visualizer/palette.ts'
import { shiftChannels } from '../../tools/music-visualizer/frame-coder.ts'
import type { Scene, Template } from '../../tools/music-visualizer/scene.ts'
import type { VisualizerInput } from '../../tools/music-visualizer/request.ts'
import { templateFactories } from '../../tools/music-visualizer/templates.ts'

const rate = 48_000

/** Interleaved stereo samples of `left` and `right`, which map a time in seconds to -1 to 1. */
export function sound(seconds: number, left: (time: number) => number, right = left): Float32Array {
  const samples = new Float32Array(2 * Math.round(seconds * rate))
  for (let at = 0; at < samples.length / 2; at += 1) {
    samples[2 * at] = left(at / rate)
    samples[2 * at + 1] = right(at / rate)
  }
  return samples
}

/** Four seconds of music: a drum twice a second, a chord that is louder on the right, and a tune. */
export const song = lazy((): Float32Array => {
  const wave = (hertz: number, time: number) => Math.sin(2 * Math.PI * hertz * time)
  const drum = (time: number) => 0.6 * wave(60, time % 0.5) * Math.exp(-9 * (time % 0.5))
  const tune = (time: number) =>
    0.15 * wave(440 * 2 ** (Math.floor(time * 4) / 12), time) * Math.exp(-3 * (time % 0.25))
  const chord = (time: number, spread: number) =>
    [110, 165, 220, 440, 1320, 3520, 7040].reduce(
      (sum, hertz) => sum + (9 / (90 + hertz ** 0.7)) * wave(hertz * spread, time),
      0,
    )
  return sound(
    4,
    (time) => drum(time) + tune(time) + chord(time, 1),
    (time) => drum(time) + 0.5 * tune(time) + chord(time, 1.003),
  )
})

/** Options of a drawing. */
export interface DrawOptions {
  readonly template: VisualizerInput['template_id']
  readonly samples: Float32Array
  readonly width: number
  readonly height: number
  readonly fps?: number
  readonly title?: string
  readonly artist?: string
  readonly c1?: string
  readonly c2?: string
  /** Draws as if the sound had no beats. */
  readonly withoutBeats?: boolean
  /** Draws no text, because letters and digits depend on the machine's fonts. */
  readonly withoutText?: boolean
}

/** Profiles of sounds, because many drawings share one. */
const profiles = new WeakMap<Float32Array, AudioProfile>()

function profileOf(samples: Float32Array): AudioProfile {
  const known = profiles.get(samples)
  if (known) return known
  const profiler = new AudioProfiler()
  profiler.push(samples)
  const profile = profiler.finish()
  profiles.set(samples, profile)
  return profile
}

/** Prepares a template for drawing without encoding. Returns the scene, the drawing and the audio features per frame. */
export async function prepareTemplate(options: DrawOptions) {
  const {
    template,
    samples,
    width,
    height,
    fps = 30,
    title = '',
    artist = '',
    c1 = '#8b5cf6',
    c2 = '#22d3ee',
  } = options
  const drawing = await loadDrawing()
  const fullProfile = profileOf(samples)
  const profile = options.withoutBeats ? { ...fullProfile, beats: [] } : fullProfile
  const seconds = samples.length / 2 / rate
  const unit = Math.min(width, height)
  const palette = new Palette({ c1, c2 })
  const scene: Scene = {
    ...{ drawing, width, height, unit, margin: 0.06 * unit, palette, seconds, profile },
    ...{ title: cleanLine(title), artist: cleanLine(artist) },
    cover: drawPlaceholderCover(drawing, Math.max(2, 2 * Math.round(unit * 0.2)), palette),
  }
  const createdTemplate = options.withoutText
    ? withoutText(templateFactories[template](scene))
    : templateFactories[template](scene)
  const ground = drawBuiltInBackground(drawing, scene, palette)
  createdTemplate.drawOrnament?.(ground.getContext('2d'))
  const drawn = prepareDrawing(scene, createdTemplate, { picture: ground, soft: true })
  return { scene, drawn, moments: readFeatures(samples, { profile, fps, frames: Math.round(seconds * fps) }) }
}

function withoutText(template: Template): Template {
  const mute = (pen: Pen) => Object.assign(pen, { fillText: () => {} })
  return {
    ...template,
    drawStill: (pen) => template.drawStill(mute(pen)),
    drawMoving: (pen, moment) => template.drawMoving(mute(pen), moment),
  }
}

/** Draws frames of a template as whole pictures. */
export async function drawTemplate(options: DrawOptions, frameNumbers: readonly number[]): Promise<Canvas[]> {
  const { scene, drawn, moments } = await prepareTemplate(options)
  const { drawing } = scene
  const base = drawn.still && pixelsToCanvas(drawing, scene, new Uint8ClampedArray(drawn.still))
  const pictures: Canvas[] = []
  let index = 0
  for await (const { pixels, channelShift } of drawn.frames(moments)) {
    if (frameNumbers.includes(index)) {
      const picture = drawing.createCanvas(scene.width, scene.height)
      const pen = picture.getContext('2d')
      if (base) pen.drawImage(base, 0, 0)
      const { x, y, width, height } = drawn.region
      const size = { width: Math.ceil(width / drawn.scale), height: Math.ceil(height / drawn.scale) }
      const shifted = new Uint8ClampedArray(4 * size.width * size.height)
      shiftChannels(pixels, new Uint8Array(shifted.buffer), {
        ...{ from: size.width + 2 * drawn.sidePadding, to: size.width, shift: channelShift },
      })
      pen.drawImage(pixelsToCanvas(drawing, size, shifted), x, y, width, height)
      if (drawn.overlay) {
        const { box, pixels: overlayPixels } = drawn.overlay
        pen.drawImage(pixelsToCanvas(drawing, box, new Uint8ClampedArray(overlayPixels)), box.x, box.y)
      }
      pictures.push(picture)
      if (pictures.length === frameNumbers.length) break
    }
    index += 1
  }
  return pictures
}

async function* readFeatures(
  samples: Float32Array,
  options: ConstructorParameters<typeof AudioFeatureTracker>[0],
): AsyncGenerator<AudioFeatures> {
  const moments = new AudioFeatureTracker(options)
  yield* moments.push(samples)
  yield* moments.finish()
}

/** Red, green, blue and alpha of every pixel. */
export function canvasPixels(picture: Canvas): Uint8ClampedArray {
  return picture.getContext('2d').getImageData(0, 0, picture.width, picture.height).data
}

/** Mean absolute difference of two pictures of equal size, 0 to 255. */
export function difference(one: Canvas, other: Canvas): number {
  const [first, second] = [canvasPixels(one), canvasPixels(other)]
  let sum = 0
  for (let at = 0; at < first.length; at += 1) sum += Math.abs((first[at] ?? 0) - (second[at] ?? 0))
  return sum / first.length
}

/** Side of the blocks in which pictures are compared, pixels. */
const blockSide = 8

/**
 * Largest difference, 0 to 255, of the mean red, green or blue of any block of two pictures of equal size. A missing
 * part is detected in its own blocks, however small its share of the picture is.
 */
export function worstBlock(one: Canvas, other: Canvas): number {
  const [first, second] = [canvasPixels(one), canvasPixels(other)]
  const { width, height } = one
  let worst = 0
  for (let top = 0; top < height; top += blockSide) {
    for (let left = 0; left < width; left += blockSide) {
      const [right, bottom] = [Math.min(left + blockSide, width), Math.min(top + blockSide, height)]
      const area = (right - left) * (bottom - top)
      let [red, green, blue] = [0, 0, 0]
      for (let y = top; y < bottom; y += 1) {
        const end = 4 * (y * width + right)
        for (let at = 4 * (y * width + left); at < end; at += 4) {
          red += (first[at] ?? 0) - (second[at] ?? 0)
          green += (first[at + 1] ?? 0) - (second[at + 1] ?? 0)
          blue += (first[at + 2] ?? 0) - (second[at + 2] ?? 0)
        }
      }
      worst = Math.max(worst, Math.max(Math.abs(red), Math.abs(green), Math.abs(blue)) / area)
    }
  }
  return worst
}
