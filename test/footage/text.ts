import { createHash } from 'node:crypto'
import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'
import { generateOnce } from '../engines/ffmpeg/media-cache.ts'
import { seededNumbers } from './world.ts'
import { writeVideo } from './write-video.ts'
import type { Bounds } from '../../src/media/geometry.ts'

/** A burned-in line of text. */
export interface Caption {
  readonly text: string
  /** Font size, px. */
  readonly size: number
  /** Centre of the line on frame `first`, px. */
  readonly x: number
  readonly y: number
  /** Visible from frame `first` to before frame `end`. */
  readonly first: number
  readonly end: number
  /** Length of fade-in and fade-out, frames. */
  readonly fade?: number
  /** Motion, px per frame. */
  readonly motion?: { readonly x: number; readonly y: number }
  /** Opacity, 0 to 1. */
  readonly opacity?: number
  readonly fill?: string
  /** Colour of the outline. */
  readonly outline?: string
}

/** Definition of footage with known text. */
export interface Footage {
  readonly width: number
  readonly height: number
  readonly fps: number
  readonly frames: number
  readonly background: 'still' | 'pan' | 'busy'
  readonly captions: readonly Caption[]
}

const font = (size: number) => `600 ${size}px "DejaVu Sans", "Droid Sans Fallback", sans-serif`

/** A drawn caption and the box of its visible pixels. */
export interface DrawnCaption {
  readonly caption: Caption
  readonly picture: Canvas
  readonly visibleBox: Bounds
}

/** Draws a caption on a transparent canvas. */
export function drawCaption(caption: Caption): DrawnCaption {
  const pad = Math.ceil(caption.size)
  const measuring = createCanvas(1, 1).getContext('2d')
  measuring.font = font(caption.size)
  const width = Math.ceil(measuring.measureText(caption.text).width) + 2 * pad
  const height = Math.ceil(caption.size) + 2 * pad
  const picture = createCanvas(width, height)
  const pen = picture.getContext('2d')
  pen.font = font(caption.size)
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  if (caption.outline !== undefined) {
    pen.strokeStyle = caption.outline
    pen.lineWidth = Math.max(2, caption.size / 8)
    pen.lineJoin = 'round'
    pen.strokeText(caption.text, width / 2, height / 2)
  }
  pen.fillStyle = caption.fill ?? 'white'
  pen.fillText(caption.text, width / 2, height / 2)
  return { caption, picture, visibleBox: opaqueBox(pen, width, height) }
}

/** Smallest box around pixels with an opacity of at least half. */
function opaqueBox(pen: SKRSContext2D, width: number, height: number): Bounds {
  const { data } = pen.getImageData(0, 0, width, height)
  const visibleBox = { left: width, top: height, right: 0, bottom: 0 }
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((data[4 * (y * width + x) + 3] ?? 0) < 128) continue
      visibleBox.left = Math.min(visibleBox.left, x)
      visibleBox.right = Math.max(visibleBox.right, x + 1)
      visibleBox.top = Math.min(visibleBox.top, y)
      visibleBox.bottom = Math.max(visibleBox.bottom, y + 1)
    }
  }
  return visibleBox
}

/** Top left corner of a caption's canvas on a frame, whole px. */
function cornerAt({ caption, picture }: DrawnCaption, frame: number): { x: number; y: number } {
  const elapsed = frame - caption.first
  return {
    x: Math.round(caption.x + (caption.motion?.x ?? 0) * elapsed - picture.width / 2),
    y: Math.round(caption.y + (caption.motion?.y ?? 0) * elapsed - picture.height / 2),
  }
}

/** Opacity of a caption on a frame, 0 to 1. */
export function opacityAt({ first, end, fade = 0, opacity = 1 }: Caption, frame: number): number {
  if (frame < first || frame >= end) return 0
  const framesToEdge = Math.min(frame - first + 1, end - frame)
  return opacity * Math.min(1, framesToEdge / (fade + 1))
}

/** Box of the visible pixels of a caption on a frame, clipped to the picture. Undefined if there are none. */
export function visibleBoxAt(drawnCaption: DrawnCaption, frame: number, size: Footage): Bounds | undefined {
  if (opacityAt(drawnCaption.caption, frame) === 0) return undefined
  const { x, y } = cornerAt(drawnCaption, frame)
  const { left, top, right, bottom } = drawnCaption.visibleBox
  const box = {
    left: Math.max(0, x + left),
    top: Math.max(0, y + top),
    right: Math.min(size.width, x + right),
    bottom: Math.min(size.height, y + bottom),
  }
  return box.left < box.right && box.top < box.bottom ? box : undefined
}

/** Changes with the drawing, so that cached footage is drawn again. */
const drawing = 'footage of captions, 1'

/** Draws footage to a video file. Returns its captions with their boxes. */
export async function drawFootage(
  path: string,
  footage: Footage,
  encoding?: readonly string[],
): Promise<DrawnCaption[]> {
  const drawnCaptions = footage.captions.map(drawCaption)
  // The letters depend on the fonts of the machine.
  const letters = createHash('sha256')
  for (const { picture } of drawnCaptions) letters.update(picture.data())
  const described = JSON.stringify([footage, encoding, letters.digest('hex')])
  await generateOnce(path, {
    program: [drawing, (await locateFfmpeg()).version, described],
    args: [],
    generate: (to) => writeVideo(to, { ...footage, pictures: drawFrames(footage, drawnCaptions) }, encoding),
  })
  return drawnCaptions
}

/** Draws the frames of footage: RGBA pixels in a buffer that is reused. */
function* drawFrames(footage: Footage, drawnCaptions: readonly DrawnCaption[]): Generator<Uint8Array> {
  const canvas = createCanvas(footage.width, footage.height)
  const pen = canvas.getContext('2d')
  const drawBackground = createBackground(footage)
  for (let frame = 0; frame < footage.frames; frame += 1) {
    pen.globalAlpha = 1
    drawBackground(pen, frame)
    for (const drawnCaption of drawnCaptions) {
      pen.globalAlpha = opacityAt(drawnCaption.caption, frame)
      if (pen.globalAlpha === 0) continue
      const { x, y } = cornerAt(drawnCaption, frame)
      pen.drawImage(drawnCaption.picture, x, y)
    }
    yield canvas.data()
  }
}

/** Creates a background of random shapes, larger than the picture. Returns a function that draws a frame of it. */
function createBackground({
  width,
  height,
  background,
}: Footage): (pen: SKRSContext2D, frame: number) => void {
  const scene = createCanvas(Math.round(1.5 * width), Math.round(1.25 * height))
  const pen = scene.getContext('2d')
  const next = seededNumbers(background.length * 7919 + width)
  const colour = (light: number) =>
    `hsl(${Math.round(360 * next())} ${Math.round(20 + 40 * next())}% ${Math.round(light)}%)`
  const sky = pen.createLinearGradient(0, 0, scene.width, scene.height)
  for (const stop of [0, 0.4, 0.7, 1]) sky.addColorStop(stop, colour(25 + 35 * next()))
  pen.fillStyle = sky
  pen.fillRect(0, 0, scene.width, scene.height)
  const shapes = background === 'busy' ? 260 : 90
  for (let shape = 0; shape < shapes; shape += 1) {
    pen.fillStyle = colour(15 + 60 * next())
    pen.globalAlpha = 0.25 + 0.75 * next()
    pen.beginPath()
    const [x, y] = [scene.width * next(), scene.height * next()]
    const radius = (0.01 + 0.09 * next() ** 2) * width
    if (shape % 3 === 0) pen.rect(x, y, radius * (0.5 + next()), radius * (0.5 + next()))
    else pen.ellipse(x, y, radius, radius * (0.3 + 0.7 * next()), Math.PI * next(), 0, 2 * Math.PI)
    pen.fill()
  }
  pen.globalAlpha = 1
  const room = { x: scene.width - width, y: scene.height - height }
  return (canvas, frame) => {
    // Back and forth along the longer side.
    const offset = background === 'still' ? 0 : (frame * (background === 'busy' ? 3 : 1.5)) % (2 * room.x)
    canvas.drawImage(scene, -Math.round(Math.min(offset, 2 * room.x - offset)), -Math.round(room.y / 2))
  }
}
