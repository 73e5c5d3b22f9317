import { words } from '../../src/media/colour/words.ts'
import { Yuv420 } from '../../src/media/colour/yuv420.ts'
import type { DrawnPicture, PreparedDrawing } from './frames.ts'

/** What stays the same from frame to frame of a film that is coded. */
export interface FrameCoderOptions extends Pick<
  PreparedDrawing,
  'still' | 'region' | 'scale' | 'sidePadding'
> {
  readonly width: number
  readonly height: number
}

/** How frames are sent to ffmpeg, as it names it, and their size in pixels. */
interface RawFormat {
  readonly format: 'yuv420p' | 'rgb0'
  readonly width: number
  readonly height: number
}

/**
 * What is drawn in part is sent whole and as it is encoded: less goes through the pipe than of four-byte pixels, and
 * what stands still is left. Where everything moves, ffmpeg is quicker at it.
 */
export function rawFormat({
  width,
  height,
  still,
  scale,
}: Omit<FrameCoderOptions, 'region' | 'sidePadding'>): RawFormat {
  if (still) return { format: 'yuv420p', width, height }
  return { format: 'rgb0', width: width / scale, height: height / scale }
}

/** Bytes of a frame. */
export function rawFrameBytes({ format, width, height }: RawFormat): number {
  return width * height * (format === 'yuv420p' ? 1.5 : 4)
}

/** One frame is written out while the next is made. */
export const frameSlots = 2

/** One picture is drawn while another is coded, and looked at beside the one before it. */
export const pictureSlots = 3

/** Of memory for several pictures of one size, used in turn, what belongs to one. */
export function sharedSlot(memory: SharedArrayBuffer, index: number, places: number): Uint8Array {
  const bytes = memory.byteLength / places
  return new Uint8Array(memory, (index % places) * bytes, bytes)
}

/** Makes of what is drawn frames as they are sent, each into memory for it. */
export class FrameCoder {
  readonly #plate: FrameCoderOptions
  readonly #form: RawFormat
  readonly #whole: Yuv420 | undefined
  #before: Uint8Array | undefined

  constructor(plate: FrameCoderOptions) {
    const { still, width, height } = plate
    this.#plate = plate
    this.#form = rawFormat(plate)
    if (!still) return
    this.#whole = new Yuv420({ width, height })
    this.#whole.write(still, { x: 0, y: 0, width, height })
  }

  /** Codes the next picture, which is read again with the one after it. */
  code({ pixels, channelShift }: DrawnPicture, frame: Uint8Array): void {
    const { region, sidePadding } = this.#plate
    if (this.#whole) {
      this.#whole.write(pixels, region, this.#before)
      this.#before = pixels
      frame.set(this.#whole.bytes)
    } else if (sidePadding === 0) frame.set(pixels)
    else {
      const { width } = this.#form
      shiftChannels(pixels, frame, { from: width + 2 * sidePadding, to: width, shift: channelShift })
    }
  }
}

/**
 * Parts the colours of a picture: red moves so many pixels to the left, green and blue to the right. The picture is
 * wider than `into` by as much on both sides at least.
 */
export function shiftChannels(
  picture: Uint8Array,
  into: Uint8Array,
  { from, to, shift }: { readonly from: number; readonly to: number; readonly shift: number },
): void {
  const [pixels, parted] = [words(picture), words(into)]
  const rows = parted.length / to
  for (let row = 0; row < rows; row += 1) {
    let at = row * from + (from - to) / 2
    for (let pixel = row * to; pixel < (row + 1) * to; pixel += 1, at += 1)
      parted[pixel] = ((pixels[at - shift] ?? 0) & 0xffffff00) | ((pixels[at + shift] ?? 0) & 0xff)
  }
}
