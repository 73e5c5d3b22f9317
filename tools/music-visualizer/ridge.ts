import type { Pen } from '../../src/engines/canvas/load.ts'
import { bandLevelAt, type AudioFeatures } from '../../src/media/audio/moments.ts'
import { clampToFrame, type CreateTemplate, type Scene } from './scene.ts'
import { drawTitle } from './words.ts'

/**
 * The wave and the glow around it, from the outside in: how far each reaches beyond it, as a share of the shorter
 * side, and its strength.
 */
const ridgeLayers = [
  { reach: 0.026, alpha: 0.08 },
  { reach: 0.01, alpha: 0.16 },
  { reach: 0, alpha: 0.96 },
] as const

const ridgePoints = 72

/** A symmetric wave of light along the bottom, the deep tones in its middle. */
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

/** Half heights of the wave from left to right; it thins out towards both edges. */
function ridgeEdge({ bands }: AudioFeatures, { tallest, thin }: { tallest: number; thin: number }): number[] {
  return Array.from({ length: ridgePoints + 1 }, (_, index) => {
    const across = (2 * index) / ridgePoints - 1
    const place = Math.abs(across) * 0.92
    const beside = bandLevelAt(bands, Math.abs(place - 0.018)) + bandLevelAt(bands, place + 0.018)
    const fade = Math.max(0, Math.cos((across * Math.PI) / 2)) ** 0.6
    return thin + tallest * fade * (0.5 * bandLevelAt(bands, place) + 0.25 * beside)
  })
}

/** A closed, smooth outline: above the middle from left to right, mirrored below it on the way back. */
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
