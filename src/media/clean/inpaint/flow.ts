import type { Bent } from './differences.ts'
import type { Ring } from './ring.ts'
import { sample } from './sample.ts'
import { spread } from './spread.ts'
import type { Crop } from './view.ts'

/** Pixels in rows: brightness and both axes of colour, three bytes each. */
export interface FlowPicture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Where each pixel of one picture has gone in another of the same size, in pixels. */
export interface Flow {
  readonly right: Float32Array
  readonly down: Float32Array
}

export type FindFlow = (one: FlowPicture, other: FlowPicture) => Promise<Flow>

/** Sets what moves by itself by a flow that is found elsewhere, of what is seen of the ring; smooth over holes. */
export async function bendByFlow(
  find: FindFlow,
  { ring, crop }: { ring: Ring; crop: Crop },
  match: Bent,
): Promise<void> {
  const found = await find(
    pictureOf(crop, (x, y) => [x, y], crop),
    pictureOf(match.crop, placeIn(match), crop),
  )
  const { right, down } = match
  const counts = new Float32Array(right.length)
  right.fill(0)
  down.fill(0)
  for (let index = 0; index < ring.count; index += 1) {
    const cell = ring.cell[index] ?? 0
    const at = ((ring.y[index] ?? 0) - crop.y) * crop.width + (ring.x[index] ?? 0) - crop.x
    right[cell] = (right[cell] ?? 0) + (found.right[at] ?? 0)
    down[cell] = (down[cell] ?? 0) + (found.down[at] ?? 0)
    counts[cell] = (counts[cell] ?? 0) + 1
  }
  for (let cell = 0; cell < counts.length; cell += 1) {
    const count = Math.max(1, counts[cell] ?? 0)
    right[cell] = (right[cell] ?? 0) / count
    down[cell] = (down[cell] ?? 0) / count
    counts[cell] = (counts[cell] ?? 0) > 7 ? 20 : 0
  }
  spread(right, counts, ring.cells)
  spread(down, counts, ring.cells)
}

type Place = (x: number, y: number) => readonly [x: number, y: number]

function placeIn({ map: [a, b, c, d, e, f] }: Bent): Place {
  return (x, y) => [a * x + b * y + c, d * x + e * y + f]
}

/** What lies in a crop at the places of another's pixels. */
function pictureOf(from: Crop, place: Place, { x: left, y: top, width, height }: Crop): FlowPicture {
  const pixels = new Uint8Array(width * height * 3)
  const size = { width: from.width / 2, height: from.height / 2 }
  const planes = [from, { ...size, data: from.blue }, { ...size, data: from.red }] as const
  for (let at = 0; at < width * height; at += 1) {
    const [px, py] = place(left + (at % width), top + Math.floor(at / width))
    const [x, y] = [px - from.x, py - from.y]
    for (const [channel, plane] of planes.entries()) {
      const value = channel === 0 ? sample(plane, x, y) : sample(plane, (x - 0.5) / 2, (y - 0.5) / 2)
      pixels[at * 3 + channel] = Math.min(255, Math.max(0, Math.round(value)))
    }
  }
  return { width, height, pixels }
}
