import type { Size } from '../geometry.ts'

/**
 * Describes what covering a frame crops from a particle's canvas; undefined if it crops less than a pixel. Sizes in
 * pixels.
 */
export function describeCroppedCanvas(canvas: Size, frame: Size): string | undefined {
  const scale = Math.max(frame.width / canvas.width, frame.height / canvas.height)
  const cropped = (['width', 'height'] as const)
    .map((side) => ({ side, pixels: canvas[side] - frame[side] / scale }))
    .find(({ pixels }) => pixels >= 1)
  if (!cropped) return undefined
  const { side, pixels } = cropped
  const percent = Math.max(1, Math.round((100 * pixels) / canvas[side]))
  return (
    `the canvas of ${canvas.width} x ${canvas.height} is scaled to cover ${frame.width} x ${frame.height}, ` +
    `which crops ${percent} % of its ${side}; set data-width to ${frame.width} and data-height to ${frame.height}`
  )
}
