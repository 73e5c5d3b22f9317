import type { Rect } from '../geometry.ts'

/** Luma coefficients of red and blue, ITU-R BT.709. Green has the remainder. */
const lumaShare = { red: 0.2126, blue: 0.0722 }

/** Fixed-point representation of 1 in integer weights. */
const fixedOne = 2 ** 16

/** Number of steps of limited range, from black to white and between the ends of a chroma axis. */
const codeSteps = { luma: 219, chroma: 224 }

/**
 * Returns the integer weights of red, green and blue for one sample. Green gets the remainder of `sum`, so
 * that grey has no chroma.
 */
function sampleWeights(red: number, blue: number, sum: number) {
  const [fromRed, fromBlue] = [Math.round((red * fixedOne) / 255), Math.round((blue * fixedOne) / 255)]
  return { red: fromRed, green: Math.round((sum * fixedOne) / 255) - fromRed - fromBlue, blue: fromBlue }
}

const lumaWeights = sampleWeights(
  codeSteps.luma * lumaShare.red,
  codeSteps.luma * lumaShare.blue,
  codeSteps.luma,
)
const towards = (own: number, other: number) =>
  [codeSteps.chroma / 2, (-codeSteps.chroma * other) / (2 - 2 * own)] as const
const [blueOwn, blueOther] = towards(lumaShare.blue, lumaShare.red)
const [redOwn, redOther] = towards(lumaShare.red, lumaShare.blue)
const cbWeights = sampleWeights(blueOther, blueOwn, 0)
const crWeights = sampleWeights(redOwn, redOther, 0)

/** Fixed-point values of black and of neutral chroma, plus one half for rounding. */
const lumaBase = (16 + 0.5) * fixedOne
const chromaBase = (128 + 0.5) * fixedOne

/**
 * A video frame of planar 8-bit 4:2:0 samples, BT.709, limited range, converted from RGBA pixels. The chroma
 * of four pixels is their mean, as in ffmpeg's scaler.
 */
export class Yuv420 {
  /** The luma plane, then the Cb plane, then the Cr plane. */
  readonly bytes: Uint8Array
  readonly #width: number
  readonly #height: number

  constructor({ width, height }: { readonly width: number; readonly height: number }) {
    this.#width = width
    this.#height = height
    this.bytes = new Uint8Array((width * height * 3) / 2)
  }

  /**
   * Writes the opaque RGBA pixels of a box. Position and size must be even. `before` is the previous content
   * of the box, if known. Blocks equal to it are skipped.
   */
  write(pixels: Uint8Array, box: Rect, before?: Uint8Array): void {
    const [now, last] = [pixelWords(pixels), before && pixelWords(before)]
    const { bytes } = this
    const plane = (this.#width * this.#height) / 4
    for (let row = 0; row < box.height; row += 2) {
      let top = row * box.width
      let under = top + box.width
      let at = (box.y + row) * this.#width + box.x
      let colour = 4 * plane + ((box.y + row) * this.#width) / 4 + box.x / 2
      for (const end = under; top < end; top += 2, under += 2, at += 2, colour += 1) {
        const a = now[top] ?? 0
        const b = now[top + 1] ?? 0
        const c = now[under] ?? 0
        const d = now[under + 1] ?? 0
        if (last && a === last[top] && b === last[top + 1] && c === last[under] && d === last[under + 1])
          continue
        bytes[at] = lumaCode(a)
        bytes[at + 1] = lumaCode(b)
        bytes[at + this.#width] = lumaCode(c)
        bytes[at + this.#width + 1] = lumaCode(d)
        // Sums red and blue in one integer. Each sum of four stays within its own 16 bits.
        const sums = (a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff)
        const red = sums & 0xffff
        const blue = sums >>> 16
        const green = ((a >>> 8) & 255) + ((b >>> 8) & 255) + ((c >>> 8) & 255) + ((d >>> 8) & 255)
        bytes[colour] =
          (cbWeights.red * red + cbWeights.green * green + cbWeights.blue * blue + 4 * chromaBase) >>> 18
        bytes[colour + plane] =
          (crWeights.red * red + crWeights.green * green + crWeights.blue * blue + 4 * chromaBase) >>> 18
      }
    }
  }
}

function lumaCode(pixel: number): number {
  const red = pixel & 255
  const green = (pixel >>> 8) & 255
  const blue = (pixel >>> 16) & 255
  return (lumaWeights.red * red + lumaWeights.green * green + lumaWeights.blue * blue + lumaBase) >>> 16
}

/**
 * Returns RGBA bytes as 32-bit integers with red in the lowest bits. Every platform of the drawing library is
 * little-endian.
 */
export function pixelWords({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}
