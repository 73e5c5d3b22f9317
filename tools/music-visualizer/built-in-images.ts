import type { Canvas, Drawing, Pen } from '../../src/engines/canvas/drawing.ts'
import type { Size } from '../../src/media/geometry.ts'
import type { Palette } from './palette.ts'

/** The two lights: position as shares of the sides, and reach as a share of the diagonal. */
const backgroundLights = [
  { at: { x: 0.16, y: 0.06 }, reach: 0.52 },
  { at: { x: 0.92, y: 0.98 }, reach: 0.5 },
] as const

/** Share by which the corners are darker than the centre. */
const vignette = 0.3

/**
 * Draws the built-in background: two lights on a dark ground. Computed per pixel with a noise of at most one step of
 * brightness, because dark 8-bit gradients show bands.
 */
export function drawBuiltInBackground(drawing: Drawing, { width, height }: Size, palette: Palette): Canvas {
  const { base, lights: colours } = palette.background
  const pixels = new Uint8ClampedArray(width * height * 4)
  const reach = (light: number) => (backgroundLights[light]?.reach ?? 1) * Math.hypot(width, height)
  // A light's strength is the product of its column and row falloff.
  const columns = backgroundLights.map(({ at }, light) => lightFalloff(width, at.x, reach(light)))
  const rows = backgroundLights.map(({ at }, light) => lightFalloff(height, at.y, reach(light)))
  const grain = createNoise(1)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4
      const first = (columns[0]?.[x] ?? 0) * (rows[0]?.[y] ?? 0)
      const second = (columns[1]?.[x] ?? 0) * (rows[1]?.[y] ?? 0)
      const edge = (x / width - 0.5) ** 2 + (y / height - 0.5) ** 2
      const shade = 1 - vignette * edge * 2
      const noise = grain()
      for (let channel = 0; channel < 3; channel += 1) {
        const ground = base[channel] ?? 0
        const lit =
          first * ((colours[0][channel] ?? 0) - ground) + second * ((colours[1][channel] ?? 0) - ground)
        pixels[at + channel] = (ground + lit) * shade + noise
      }
      pixels[at + 3] = 255
    }
  }
  return pixelsToCanvas(drawing, { width, height }, pixels)
}

/** Returns a light's strength at each pixel of a side, 0 to 1. at: its position as a share of the side. Falls to 1/e in `reach` pixels. */
function lightFalloff(side: number, at: number, reach: number): Float64Array {
  return Float64Array.from({ length: side }, (_, pixel) => Math.exp(-(((pixel - at * side) / reach) ** 2)))
}

/** Converts RGBA pixels to a canvas. */
export function pixelsToCanvas(drawing: Drawing, { width, height }: Size, pixels: Uint8ClampedArray): Canvas {
  const canvas = drawing.createCanvas(width, height)
  canvas.getContext('2d').putImageData(new drawing.ImageData(pixels, width, height), 0, 0)
  return canvas
}

/** Returns a deterministic generator of triangular noise from -amplitude to amplitude. */
function createNoise(amplitude: number): () => number {
  let state = 0x9e3779b9
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return () => (next() - next()) * amplitude
}

/** Darkens a picture so that text over it is readable, more towards the edges. */
export function darken(pen: Pen, { width, height }: Size): void {
  pen.save()
  pen.fillStyle = 'rgba(6,7,12,0.38)'
  pen.fillRect(0, 0, width, height)
  const reach = Math.hypot(width, height) / 2
  const edge = pen.createRadialGradient(width / 2, height / 2, reach * 0.35, width / 2, height / 2, reach)
  edge.addColorStop(0, 'rgba(0,0,0,0)')
  edge.addColorStop(1, 'rgba(0,0,0,0.42)')
  pen.fillStyle = edge
  pen.fillRect(0, 0, width, height)
  pen.restore()
}

/** Draws the cover for music without one: a note on the spectrum's colours, with rings like a record. */
export function drawPlaceholderCover(drawing: Drawing, side: number, palette: Palette): Canvas {
  const canvas = drawing.createCanvas(side, side)
  const pen = canvas.getContext('2d')
  pen.fillStyle = palette.gradient(pen, [0, 0, side, side])
  pen.fillRect(0, 0, side, side)
  pen.fillStyle = 'rgba(10,10,18,0.5)'
  pen.fillRect(0, 0, side, side)
  pen.strokeStyle = 'rgba(255,255,255,0.1)'
  pen.lineWidth = side * 0.006
  for (let ring = 1; ring <= 6; ring += 1) {
    pen.beginPath()
    pen.arc(side / 2, side / 2, side * 0.115 * ring, 0, 2 * Math.PI)
    pen.stroke()
  }
  pen.scale(side, side)
  pen.fillStyle = 'rgba(255,255,255,0.92)'
  drawNote(pen)
  return canvas
}

/** Draws two beamed quavers in a square of side 1. */
function drawNote(pen: ReturnType<Canvas['getContext']>): void {
  for (const [x, y] of [
    [0.385, 0.645],
    [0.585, 0.605],
  ] as const) {
    pen.beginPath()
    pen.ellipse(x, y, 0.068, 0.05, -0.35, 0, 2 * Math.PI)
    pen.fill()
    pen.fillRect(x + 0.04, y - 0.27, 0.024, 0.26)
  }
  pen.beginPath()
  pen.moveTo(0.425, 0.345)
  pen.lineTo(0.649, 0.3)
  pen.lineTo(0.649, 0.372)
  pen.lineTo(0.425, 0.417)
  pen.fill()
}
