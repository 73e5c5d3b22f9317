import { pixelWords, Yuv420 } from '../../src/media/colour/yuv420.ts'
import type { DrawnPicture, PreparedDrawing } from './frames.ts'

/** Constants of a video's frames. */
export interface FrameCoderOptions extends Pick<
  PreparedDrawing,
  'still' | 'region' | 'scale' | 'sidePadding'
> {
  readonly width: number
  readonly height: number
}

/** Pixel format, by ffmpeg's name, and size of the frames sent to ffmpeg. */
interface RawFormat {
  readonly format: 'yuv420p' | 'rgb0'
  readonly width: number
  readonly height: number
}

/**
 * Returns the format of frames sent to ffmpeg: yuv420p if part of the frame is still, because only the moving part is
 * converted and less data goes through the pipe; rgb0 if everything moves, because ffmpeg converts faster.
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

/** Bytes of one frame. */
export function rawFrameBytes({ format, width, height }: RawFormat): number {
  return width * height * (format === 'yuv420p' ? 1.5 : 4)
}

/** Shared frame buffers: one is written to ffmpeg while the next is coded. */
export const frameSlots = 2

/** Shared picture buffers: one is drawn while another is compared with the one before it. */
export const pictureSlots = 3

/** Returns the buffer of picture `index` in shared memory of several slots used in rotation. */
export function sharedSlot(memory: SharedArrayBuffer, index: number, slots: number): Uint8Array {
  const bytes = memory.byteLength / slots
  return new Uint8Array(memory, (index % slots) * bytes, bytes)
}

/** Converts drawn pictures to the frames sent to ffmpeg. */
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

  /** Converts the next picture into `frame`. Keeps a reference to the picture until the next call. */
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
 * Shifts red left by `shift` pixels, and green and blue right. `picture` has rows of `from` pixels, `into`
 * of `to` pixels; the picture must be wider by at least the shift on both sides.
 */
export function shiftChannels(
  picture: Uint8Array,
  into: Uint8Array,
  { from, to, shift }: { readonly from: number; readonly to: number; readonly shift: number },
): void {
  const [pixels, shifted] = [pixelWords(picture), pixelWords(into)]
  const rows = shifted.length / to
  for (let row = 0; row < rows; row += 1) {
    let at = row * from + (from - to) / 2
    for (let pixel = row * to; pixel < (row + 1) * to; pixel += 1, at += 1)
      shifted[pixel] = ((pixels[at - shift] ?? 0) & 0xffffff00) | ((pixels[at + shift] ?? 0) & 0xff)
  }
}
