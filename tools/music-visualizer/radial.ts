import type { Pen } from '../../src/engines/canvas/load.ts'
import { bandLevelAt, type AudioFeatures } from '../../src/media/audio/moments.ts'
import type { Palette } from './palette.ts'

/** Bars around a circle: the lowest tones at the bottom, the highest at the top, both sides alike. */
export interface Rays {
  readonly x: number
  readonly y: number
  /** Where they begin. */
  readonly radius: number
  /** Of the loudest. */
  readonly length: number
  /** Of a silent one. */
  readonly shortest: number
  readonly count: number
  /** Share of the room between two that a bar takes. */
  readonly share: number
}

/** Draws the bars of one moment, each in the colour of its place. */
export function drawRays(
  pen: Pen,
  { bands }: Pick<AudioFeatures, 'bands'>,
  { palette, ...rays }: Rays & { palette: Palette },
): void {
  const { x, y, radius, length, shortest, count, share } = rays
  pen.save()
  pen.lineCap = 'round'
  pen.lineWidth = Math.max(0.5, ((2 * Math.PI * radius) / count) * share)
  const half = Math.floor(count / 2)
  for (let index = 0; index < half; index += 1) {
    const place = (index + 0.5) / half
    const end = radius + shortest + length * bandLevelAt(bands, place)
    pen.strokeStyle = palette.css(place)
    pen.beginPath()
    for (const side of [-1, 1]) {
      const [across, down] = [side * Math.sin(Math.PI * place), Math.cos(Math.PI * place)]
      pen.moveTo(x + across * radius, y + down * radius)
      pen.lineTo(x + across * end, y + down * end)
    }
    pen.stroke()
  }
  pen.restore()
}

/** Clips to a circle, draws, and undoes the clip. */
export function clipToCircle(
  pen: Pen,
  [x, y, radius]: readonly [number, number, number],
  draw: () => void,
): void {
  pen.save()
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.clip()
  draw()
  pen.restore()
}
