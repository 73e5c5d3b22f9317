import type { Bounds, Size } from '../geometry.ts'

/** Side of the squares by which boxes are held to be connected: what lies this near is treated as one, pixels. */
const tile = 16

/** A running sum over both axes of what boxes add to their cells; takes as long for ten thousand boxes as for none. */
export function countCover(boxes: readonly Bounds[], { width, height }: Size): Int32Array {
  const stride = width + 1
  const sums = new Int32Array(stride * (height + 1))
  const add = (at: number, count: number) => (sums[at] = (sums[at] ?? 0) + count)
  for (const { left, top, right, bottom } of boxes) {
    add(top * stride + left, 1)
    add(top * stride + right, -1)
    add(bottom * stride + left, -1)
    add(bottom * stride + right, 1)
  }
  for (let row = 0, at = 0; row <= height; row++) {
    for (let column = 0, along = 0; column <= width; column++, at++) {
      along += sums[at] ?? 0
      sums[at] = along + (row > 0 ? (sums[at - stride] ?? 0) : 0)
    }
  }
  return sums
}

/** Groups boxes so that any two that touch or overlap are in one group; those nearer than a tile may be. */
export function connected(boxes: readonly Bounds[], { width, height }: Size): Bounds[][] {
  if (boxes.length < 2) return boxes.map((box) => [box])
  const tiles = { width: Math.ceil(width / tile), height: Math.ceil(height / tile) }
  const cover = countCover(boxes.map(toTiles), tiles)
  const labels = label(cover, tiles)
  const groups = new Map<number, Bounds[]>()
  for (const box of boxes) {
    const place = labels[Math.floor(box.top / tile) * (tiles.width + 1) + Math.floor(box.left / tile)] ?? 0
    const group = groups.get(place)
    if (group) group.push(box)
    else groups.set(place, [box])
  }
  return [...groups.values()]
}

function toTiles({ left, top, right, bottom }: Bounds): Bounds {
  const down = (value: number) => Math.floor(value / tile)
  const up = (value: number) => Math.ceil(value / tile)
  return { left: down(left), top: down(top), right: up(right), bottom: up(bottom) }
}

/** Numbers the connected groups of covered cells, corners counted, from 1; a row has one cell more than the width. */
function label(cover: Int32Array, { width, height }: Size): Int32Array {
  const stride = width + 1
  const labels = new Int32Array(cover.length)
  let last = 0
  const open: number[] = []
  const enter = (row: number, column: number) => {
    const at = row * stride + column
    if (row < 0 || column < 0 || row >= height || column >= width) return
    if ((cover[at] ?? 0) === 0 || labels[at] !== 0) return
    labels[at] = last
    open.push(at)
  }
  for (let start = 0; start < stride * height; start++) {
    if ((cover[start] ?? 0) === 0 || labels[start] !== 0 || start % stride === width) continue
    last += 1
    enter(Math.floor(start / stride), start % stride)
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [row, column] = [Math.floor(at / stride), at % stride]
      for (const down of [-1, 0, 1]) for (const right of [-1, 0, 1]) enter(row + down, column + right)
    }
  }
  return labels
}
