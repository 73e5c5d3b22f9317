import type { Canvas } from '../../src/engines/canvas/load.ts'
import { clampToFrame } from './scene.ts'
import type { Rect } from '../../src/media/geometry.ts'

/** Something drawn once that is laid over many frames: red, green, blue and alpha of the pixels of a box. */
export interface StillLayer {
  readonly box: Rect
  readonly pixels: Uint8Array
}

/** What is drawn on a canvas, without the empty space around it. */
export function cropToContent(canvas: Canvas): StillLayer {
  const { width, height } = canvas
  const all = canvas.getContext('2d').getImageData(0, 0, width, height).data
  let [left, right, top, bottom] = [width, 0, height, 0]
  for (let at = 3; at < all.length; at += 4) {
    if (all[at] === 0) continue
    const pixel = (at - 3) / 4
    const [x, y] = [pixel % width, Math.floor(pixel / width)]
    left = Math.min(left, x)
    right = Math.max(right, x + 1)
    top = Math.min(top, y)
    bottom = y + 1
  }
  const box = clampToFrame(canvas, { x: left, y: top, width: right - left, height: bottom - top })
  const pixels = new Uint8Array(box.width * box.height * 4)
  for (let row = 0; row < box.height; row += 1) {
    const from = 4 * ((box.y + row) * width + box.x)
    pixels.set(all.subarray(from, from + 4 * box.width), 4 * row * box.width)
  }
  return { box, pixels }
}
