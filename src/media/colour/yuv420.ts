import type { Rect, Size } from '../geometry.ts'

/**
 * A video frame of planar 8-bit 4:2:0 samples (ITU-R BT.709-6, limited range), converted from RGBA pixels. The
 * chroma of a 2 x 2 block is that of its mean colour, as in ffmpeg's scaler.
 */
export class Yuv420 {
  /** The Y plane, then the Cb plane, then the Cr plane, each by row from the top. */
  readonly bytes: Uint8Array
  readonly #width: number
  readonly #height: number

  /** Both sides must be even, pixels. */
  constructor({ width, height }: Size) {
    this.#width = width
    this.#height = height
    this.bytes = new Uint8Array((width * height * 3) / 2)
  }

  /**
   * Converts and writes the pixels of a box. `pixels` are opaque 8-bit RGBA, by row from the top. Position and size of
   * the box must be even. `before` is the previous content of the box, if known: 2 x 2 blocks equal to it are skipped.
   */
  write(pixels: Uint8Array, box: Rect, before?: Uint8Array): void {
    const [words, oldWords] = [pixelWords(pixels), before && pixelWords(before)]
    const { bytes } = this
    const chromaPlane = (this.#width * this.#height) / 4
    for (let row = 0; row < box.height; row += 2) {
      let top = row * box.width
      let bottom = top + box.width
      let luma = (box.y + row) * this.#width + box.x
      let chroma = 4 * chromaPlane + ((box.y + row) * this.#width) / 4 + box.x / 2
      for (const end = bottom; top < end; top += 2, bottom += 2, luma += 2, chroma += 1) {
        const a = words[top] ?? 0
        const b = words[top + 1] ?? 0
        const c = words[bottom] ?? 0
        const d = words[bottom + 1] ?? 0
        if (
          oldWords &&
          a === oldWords[top] &&
          b === oldWords[top + 1] &&
          c === oldWords[bottom] &&
          d === oldWords[bottom + 1]
        )
          continue
        bytes[luma] = lumaCode(a)
        bytes[luma + 1] = lumaCode(b)
        bytes[luma + this.#width] = lumaCode(c)
        bytes[luma + this.#width + 1] = lumaCode(d)
        // Sums red and blue in one integer. The sum of four bytes fits into 16 bits.
        const sums = (a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff)
        const red = sums & 0xffff
        const blue = sums >>> 16
        const green = ((a >>> 8) & 255) + ((b >>> 8) & 255) + ((c >>> 8) & 255) + ((d >>> 8) & 255)
        bytes[chroma] =
          (cbWeights.red * red + cbWeights.green * green + cbWeights.blue * blue + 4 * chromaBase) >>> 18
        bytes[chroma + chromaPlane] =
          (crWeights.red * red + crWeights.green * green + crWeights.blue * blue + 4 * chromaBase) >>> 18
      }
    }
  }
}

/**
 * Returns a view of RGBA bytes as 32-bit integers with red in the lowest bits. Requires a little-endian machine, as
 * every platform of the drawing library is.
 */
export function pixelWords({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}

/** Luma coefficients of red and blue (ITU-R BT.709-6, 3.2). Green has the remainder. */
const lumaShare = { red: 0.2126, blue: 0.0722 }

/** Fixed-point representation of 1. */
const fixedOne = 2 ** 16

/** Number of limited-range steps from black to white, and between the ends of a chroma axis. */
const codeSteps = { luma: 219, chroma: 224 }

/**
 * Returns the fixed-point weights of red, green and blue in one sample, for channels of 0 to 255. The weights add up
 * to `sum`, so that grey has no chroma.
 */
function sampleWeights(red: number, blue: number, sum: number) {
  const [redWeight, blueWeight] = [Math.round((red * fixedOne) / 255), Math.round((blue * fixedOne) / 255)]
  return {
    red: redWeight,
    green: Math.round((sum * fixedOne) / 255) - redWeight - blueWeight,
    blue: blueWeight,
  }
}

const lumaWeights = sampleWeights(
  codeSteps.luma * lumaShare.red,
  codeSteps.luma * lumaShare.blue,
  codeSteps.luma,
)

/** Returns the weights in a chroma sample of its own colour and of the other one, from their luma coefficients. */
const chromaWeights = (own: number, other: number) =>
  [codeSteps.chroma / 2, (-codeSteps.chroma * other) / (2 - 2 * own)] as const
const [blueOwn, blueOther] = chromaWeights(lumaShare.blue, lumaShare.red)
const [redOwn, redOther] = chromaWeights(lumaShare.red, lumaShare.blue)
const cbWeights = sampleWeights(blueOther, blueOwn, 0)
const crWeights = sampleWeights(redOwn, redOther, 0)

// Fixed-point values of black and of neutral chroma, plus one half for rounding.
const lumaBase = (16 + 0.5) * fixedOne
const chromaBase = (128 + 0.5) * fixedOne

/** Returns the luma sample of an RGBA pixel, 16 to 235. */
function lumaCode(pixel: number): number {
  const red = pixel & 255
  const green = (pixel >>> 8) & 255
  const blue = (pixel >>> 16) & 255
  return (lumaWeights.red * red + lumaWeights.green * green + lumaWeights.blue * blue + lumaBase) >>> 16
}
