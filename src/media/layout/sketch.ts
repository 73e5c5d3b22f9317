import type { OutputRatio } from '../../contract/catalog.ts'
import { canvasSize } from './canvas.ts'
import { slotRects } from './layout.ts'
import type { Layout } from './layout.ts'
import type { Size } from '../geometry.ts'

/** Longer side of a sketch, and the gap inside it. */
const longerSide = 96
const gap = 2

/** Below this a slot's number is written small. */
const narrowSlot = 13

/** Text of a sketch as attributes of what stands around it. */
export const sketchTextAttributes = 'font-family="sans-serif" font-size="11" text-anchor="middle" fill="#222"'

/** Size of a sketch in a shape of the result. */
export function sketchSize(ratio: OutputRatio): Size {
  const { width, height } = canvasSize(ratio, '720p')
  const scale = longerSide / Math.max(width, height)
  return { width: Math.round(width * scale), height: Math.round(height * scale) }
}

/** The slots of a layout, numbered by clip from 1, as elements of an SVG; its text takes `sketchTextAttributes`. */
export function drawSlots(layout: Layout, ratio: OutputRatio): string {
  const slots = slotRects(layout, sketchSize(ratio), { gap, step: 1 })
  const outline = slots.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h-${width}z`).join('')
  const numbers = slots.map(({ x, y, width, height }, clip) => {
    const font = height < narrowSlot || width < narrowSlot ? ' font-size="8"' : ''
    return `<text x="${x + width / 2}" y="${y + height / 2 + (font ? 3 : 4)}"${font}>${clip + 1}</text>`
  })
  return `<path fill="#9cc3e6" d="${outline}"/>${numbers.join('')}`
}

/** A layout as an SVG of its own. */
export function drawSketch(layout: Layout, ratio: OutputRatio): string {
  const { width, height } = sketchSize(ratio)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `${sketchTextAttributes}>${drawSlots(layout, ratio)}</svg>`
  )
}
