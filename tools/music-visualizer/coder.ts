import { overlay, Yuv420, type Overlay } from '../../src/media/colour/yuv420.ts'
import type { Drawn, Picture } from './frames.ts'
import { partColours } from './part-colours.ts'

/** What stays the same from frame to frame of a film that is coded. */
export interface Plate extends Pick<Drawn, 'still' | 'region' | 'scale' | 'beside' | 'over'> {
  readonly width: number
  readonly height: number
}

/** One frame is written out while the next is made. */
export const framesShared = 2

/** One picture is drawn while another is coded, and looked at beside the one before it. */
export const picturesShared = 3

/** Of memory for several pictures of one size, used in turn, what belongs to one. */
export function place(memory: SharedArrayBuffer, index: number, places: number): Uint8Array {
  const bytes = memory.byteLength / places
  return new Uint8Array(memory, (index % places) * bytes, bytes)
}

/** Makes of what is drawn whole frames as the encoder takes them. */
export class Coder {
  readonly #plate: Plate
  readonly #frame: Yuv420
  readonly #words: Overlay | undefined
  /** Where colours are parted that are then written as they are. */
  readonly #parted: Uint8Array | undefined
  #before: Uint8Array | undefined

  constructor(plate: Plate) {
    const { width, height, still, scale, beside, over } = plate
    this.#plate = plate
    this.#frame = new Yuv420({ width, height })
    if (still) this.#frame.write(still, { x: 0, y: 0, width, height })
    this.#words = over && overlay(over.pixels, over.box, { width, height })
    if (scale === 1 && beside > 0) this.#parted = new Uint8Array(4 * width * height)
  }

  /** Answers the next frame, in the memory of the one before; the pixels are read again with the next ones. */
  code({ pixels, apart }: Picture): Uint8Array {
    const { still, region, scale, beside, width } = this.#plate
    const frame = this.#frame
    if (scale === 2) frame.writeDoubled(pixels, { beside, apart })
    else if (this.#parted) {
      partColours(pixels, this.#parted, { from: width + 2 * beside, to: width, apart })
      frame.write(this.#parted, region)
    } else frame.write(pixels, region, still && this.#before)
    if (this.#words) frame.lay(this.#words)
    this.#before = pixels
    return frame.bytes
  }
}
