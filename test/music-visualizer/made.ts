import type { Canvas } from '../../src/engines/canvas/load.ts'
import { loadDrawing } from '../../src/engines/canvas/load.ts'
import { cleanLine } from '../../src/engines/canvas/text.ts'
import { Moments, type Moment } from '../../src/media/audio/moments.ts'
import { Survey } from '../../src/media/audio/survey.ts'
import { drawGround, toCanvas } from '../../tools/music-visualizer/backdrop.ts'
import { drawPlaceholder } from '../../tools/music-visualizer/cover.ts'
import { prepare } from '../../tools/music-visualizer/frames.ts'
import { Palette } from '../../tools/music-visualizer/palette.ts'
import type { Box, Scene } from '../../tools/music-visualizer/scene.ts'
import type { VisualizerInput } from '../../tools/music-visualizer/song.ts'
import { templates } from '../../tools/music-visualizer/templates.ts'

const rate = 48_000

/** Sound as decoded: `left` and `right` of a time in seconds, each -1 to 1. */
export function sound(seconds: number, left: (time: number) => number, right = left): Float32Array {
  const samples = new Float32Array(2 * Math.round(seconds * rate))
  for (let at = 0; at < samples.length / 2; at += 1) {
    samples[2 * at] = left(at / rate)
    samples[2 * at + 1] = right(at / rate)
  }
  return samples
}

/** A drum twice a second over a chord, wider on the right, and a tune: four seconds. */
export function song(): Float32Array {
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
}

/** What of a request matters for the drawing. */
export interface Wish {
  readonly template: VisualizerInput['template_id']
  readonly samples: Float32Array
  readonly width: number
  readonly height: number
  readonly fps?: number
  readonly title?: string
  readonly artist?: string
  readonly c1?: string
  readonly c2?: string
  /** As if it had none. */
  readonly silentBeats?: boolean
}

/** Draws frames of a template without encoding them: whole pictures, by the number of the frame. */
export async function draw(wish: Wish, wanted: readonly number[]): Promise<Canvas[]> {
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
  } = wish
  const drawing = await loadDrawing()
  const survey = new Survey()
  survey.push(samples)
  const heardProfile = survey.finish()
  const profile = wish.silentBeats ? { ...heardProfile, beats: [] } : heardProfile
  const seconds = samples.length / 2 / rate
  const unit = Math.min(width, height)
  const palette = new Palette({ c1, c2 })
  const scene: Scene = {
    ...{ drawing, width, height, unit, margin: 0.06 * unit, palette, seconds, profile, mono: false },
    ...{ title: cleanLine(title), artist: cleanLine(artist) },
    cover: drawPlaceholder(drawing, Math.max(2, 2 * Math.round(unit * 0.2)), palette),
  }
  const made = templates[template](scene)
  const ground = drawGround(drawing, scene, palette)
  made.ornament?.(ground.getContext('2d'))
  const drawn = prepare(scene, made, { picture: ground, shaded: false })
  const whole: Box = { x: 0, y: 0, width, height }
  const base = drawn.still && toCanvas(drawing, whole, new Uint8ClampedArray(drawn.still))
  const pictures: Canvas[] = []
  let index = 0
  for await (const pixels of drawn.frames(
    heard(samples, { profile, fps, frames: Math.round(seconds * fps) }),
  )) {
    if (wanted.includes(index)) {
      const picture = drawing.createCanvas(width, height)
      const pen = picture.getContext('2d')
      if (base) pen.drawImage(base, 0, 0)
      const region = toCanvas(drawing, drawn.region, new Uint8ClampedArray(pixels))
      pen.drawImage(region, drawn.region.x, drawn.region.y)
      pictures.push(picture)
    }
    index += 1
  }
  return pictures
}

async function* heard(
  samples: Float32Array,
  wish: ConstructorParameters<typeof Moments>[0],
): AsyncGenerator<Moment> {
  const moments = new Moments(wish)
  yield* moments.push(samples)
  yield* moments.finish()
}

/** Red, green, blue and alpha of every pixel. */
export function pixelsOf(picture: Canvas): Uint8ClampedArray {
  return picture.getContext('2d').getImageData(0, 0, picture.width, picture.height).data
}

/** Mean difference of two pictures of one size, of 255. */
export function difference(one: Canvas, other: Canvas): number {
  const [first, second] = [pixelsOf(one), pixelsOf(other)]
  return first.reduce((sum, value, at) => sum + Math.abs(value - (second[at] ?? 0)), 0) / first.length
}
