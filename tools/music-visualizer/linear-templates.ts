import type { Pen } from '../../src/engines/canvas/drawing.ts'
import { type AudioFeatures, bandLevelAt } from '../../src/media/audio/audio-features.ts'
import { clampToFrame, type CreateTemplate, drawTitle, type Scene } from './scene.ts'

/** Veils of light behind the bars: height relative to the bars, opacity, and smoothing as a share of the spectrum. */
const auroraVeils = [
  { tall: 1.55, alpha: 0.1, smooth: 0.09 },
  { tall: 1.2, alpha: 0.16, smooth: 0.045 },
] as const

/** Thin bars across the whole width with low frequencies in the middle, a veil of light, and a centred title. */
export const aurora: CreateTemplate = (scene) => {
  const { unit, width, height, palette } = scene
  const count = Math.min(360, Math.max(8, 2 * Math.round(width / (0.019 * unit))))
  const pitch = width / count
  const tallest = Math.min(0.2 * height, 0.3 * unit)
  const shortest = 0.004 * unit
  const top = height - (tallest + shortest) * 1.6
  const spare = scene.drawing.createCanvas(1, 1).getContext('2d')
  const painted = auroraVeils.map((veil) => ({
    ...veil,
    colours: palette.gradient(spare, [0, 0, width, 0], veil.alpha),
  }))
  // Bars at whole pixels are sharp and draw several times faster.
  const bars = Array.from({ length: count }, (_, index) => ({
    x: Math.round((index + 0.3) * pitch),
    colour: palette.css(index / (count - 1), 0.95),
    place: Math.abs((2 * (index + 0.5)) / count - 1),
  }))
  const thick = Math.max(1, Math.round(pitch * 0.4))
  return {
    region: clampToFrame(scene, { x: 0, y: top, width, height: height - top }),
    drawStill(pen) {
      const size = 0.078 * unit
      return drawTitle(pen, scene, {
        ...{ x: width / 2, y: height * 0.46, width: width - 3 * scene.margin },
        ...{ align: 'center', size },
      })
    },
    drawMoving(pen, { bands }) {
      for (const veil of painted) {
        pen.fillStyle = veil.colours
        drawAuroraVeil(pen, { bands, scene, tallest: tallest * veil.tall, smooth: veil.smooth })
      }
      for (const { x, colour, place } of bars) {
        const tall = shortest + tallest * bandLevelAt(bands, place)
        pen.fillStyle = colour
        pen.fillRect(x, height - tall, thick, tall)
      }
    },
  }
}

interface AuroraVeil extends Pick<AudioFeatures, 'bands'> {
  readonly scene: Pick<Scene, 'width' | 'height'>
  readonly tallest: number
  readonly smooth: number
}

const auroraPoints = 64

function drawAuroraVeil(pen: Pen, { bands, scene: { width, height }, tallest, smooth }: AuroraVeil): void {
  const tall = (index: number) => {
    const place = Math.abs((2 * index) / auroraPoints - 1)
    const near = [-1, -0.5, 0, 0.5, 1].map((step) => bandLevelAt(bands, Math.abs(place + step * smooth)))
    return height - (tallest * near.reduce((sum, level) => sum + level, 0)) / near.length
  }
  pen.beginPath()
  pen.moveTo(0, height)
  pen.lineTo(0, tall(0))
  for (let index = 0; index < auroraPoints; index += 1) {
    const [x, next] = [(index / auroraPoints) * width, ((index + 1) / auroraPoints) * width]
    const [y, after] = [tall(index), tall(index + 1)]
    pen.quadraticCurveTo(x, y, (x + next) / 2, (y + after) / 2)
  }
  pen.lineTo(width, tall(auroraPoints))
  pen.lineTo(width, height)
  pen.fill()
}

/** Computes the positions and sizes of the bars, px. */
function layOutBars({ width, height, unit, margin }: Scene) {
  const rowWidth = width - 2.4 * margin
  const count = Math.min(64, Math.max(8, Math.round(rowWidth / (0.034 * unit))))
  const pitch = rowWidth / count
  const base = height * 0.6
  return {
    left: (width - rowWidth) / 2,
    count,
    pitch,
    bar: pitch * 0.58,
    base,
    tallest: Math.min(height * 0.4, 0.62 * unit),
  }
}

/** Height of the reflection as a share of the tallest bar's, and its opacity at the top. */
const reflection = { height: 0.42, alpha: 0.3 }

/** Rounded bars with a reflection. */
export const bars: CreateTemplate = (scene) => {
  const spare = scene.drawing.createCanvas(1, 1).getContext('2d')
  const { unit, width, height, palette } = scene
  const { left, count, pitch, bar, base, tallest } = layOutBars(scene)
  const gap = 0.012 * unit
  const deep = reflection.height * tallest
  const columns = Array.from({ length: count }, (_, index) => {
    const place = (index + 0.5) / count
    const fade = spare.createLinearGradient(0, base + gap, 0, base + gap + deep)
    fade.addColorStop(0, palette.css(place, reflection.alpha))
    fade.addColorStop(1, palette.css(place, 0))
    return { place, colour: palette.css(place), fade, x: left + index * pitch + (pitch - bar) / 2 }
  })
  return {
    region: clampToFrame(scene, {
      x: left - 2,
      y: base - tallest - bar - 2,
      width: width - 2 * left + 4,
      height: tallest + bar + gap + deep + 4,
    }),
    drawStill(pen) {
      const size = 0.058 * unit
      // Close below the reflection, because players cover the bottom of tall videos with controls.
      const y = Math.min(height - scene.margin - 0.9 * size, base + gap + deep + 1.6 * size)
      return drawTitle(pen, scene, {
        ...{ x: width / 2, y, width: width - 2 * scene.margin },
        ...{ align: 'center', size },
      })
    },
    drawMoving(pen, { bands }) {
      for (const { place, colour, fade, x } of columns) {
        const tall = bar + tallest * bandLevelAt(bands, place)
        pen.fillStyle = colour
        pen.beginPath()
        pen.roundRect(x, base - tall, bar, tall, bar / 2)
        pen.fill()
        pen.fillStyle = fade
        pen.beginPath()
        pen.roundRect(x, base + gap, bar, Math.min(deep, tall), bar / 2)
        pen.fill()
      }
    },
  }
}

/**
 * The wave and its glow, from the outside in: how far each layer extends beyond the wave, as a share of the shorter
 * side, and its opacity.
 */
const ridgeLayers = [
  { reach: 0.026, alpha: 0.08 },
  { reach: 0.01, alpha: 0.16 },
  { reach: 0, alpha: 0.96 },
] as const

const ridgePoints = 72

/** A symmetric glowing wave near the bottom, with low frequencies in the middle. */
export const ridge: CreateTemplate = (scene) => {
  const { drawing, unit, width, height, palette } = scene
  const middle = height * 0.77
  const tallest = Math.min(0.15 * height, 0.2 * unit)
  const reach = tallest + 0.04 * unit
  const spare = drawing.createCanvas(1, 1).getContext('2d')
  const painted = ridgeLayers.map((layer) => ({
    reach: layer.reach * unit,
    colours: palette.gradient(spare, [0, 0, width, 0], layer.alpha),
  }))
  return {
    region: clampToFrame(scene, { x: 0, y: middle - reach, width, height: 2 * reach }),
    drawStill(pen) {
      const size = 0.084 * unit
      return drawTitle(pen, scene, {
        ...{ x: scene.margin * 1.2, y: height * 0.42, width: width - 2.4 * scene.margin },
        ...{ align: 'left', size },
      })
    },
    drawMoving(pen, moment) {
      const edge = ridgeEdge(moment, { tallest, thin: 0.0016 * unit })
      for (const layer of painted) {
        pen.fillStyle = layer.colours
        traceRidge(
          pen,
          edge.map((half) => half + layer.reach),
          { width, middle },
        )
        pen.fill()
      }
    },
  }
}

/** Returns the half heights of the wave from left to right, px; they decrease towards both edges. */
function ridgeEdge({ bands }: AudioFeatures, { tallest, thin }: { tallest: number; thin: number }): number[] {
  return Array.from({ length: ridgePoints + 1 }, (_, index) => {
    const across = (2 * index) / ridgePoints - 1
    const place = Math.abs(across) * 0.92
    const neighbours = bandLevelAt(bands, Math.abs(place - 0.018)) + bandLevelAt(bands, place + 0.018)
    const fade = Math.max(0, Math.cos((across * Math.PI) / 2)) ** 0.6
    return thin + tallest * fade * (0.5 * bandLevelAt(bands, place) + 0.25 * neighbours)
  })
}

/** Traces the closed, smooth outline of the wave, mirrored at the middle line. edge: half heights, px. */
function traceRidge(
  pen: Pen,
  edge: readonly number[],
  { width, middle }: Pick<Scene, 'width'> & { readonly middle: number },
): void {
  const x = (index: number) => (index / ridgePoints) * width
  const y = (index: number, side: number) => middle + side * (edge[index] ?? 0)
  pen.beginPath()
  pen.moveTo(0, y(0, -1))
  for (let index = 0; index < ridgePoints; index += 1) {
    const end = [(x(index) + x(index + 1)) / 2, (y(index, -1) + y(index + 1, -1)) / 2] as const
    pen.quadraticCurveTo(x(index), y(index, -1), ...end)
  }
  pen.lineTo(width, y(ridgePoints, -1))
  pen.lineTo(width, y(ridgePoints, 1))
  for (let index = ridgePoints; index > 0; index -= 1) {
    const end = [(x(index) + x(index - 1)) / 2, (y(index, 1) + y(index - 1, 1)) / 2] as const
    pen.quadraticCurveTo(x(index), y(index, 1), ...end)
  }
  pen.lineTo(0, y(0, 1))
  pen.closePath()
}
