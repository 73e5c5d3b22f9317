import type { Canvas, Drawing } from '../../src/engines/canvas/load.ts'
import type { Palette } from './palette.ts'

/** A cover for music that has none: a note on the colours of the spectrum, with rings as of a record. */
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

/** Two quavers under one beam, in a square of side 1. */
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
