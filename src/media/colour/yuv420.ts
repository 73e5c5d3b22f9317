import { words } from './words.ts'

/** Rectangle in pixels, its place and sides even. */
interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Shares of red and blue in brightness, ITU-R BT.709; green has the rest. */
const share = { red: 0.2126, blue: 0.0722 }

/** Weights are integers, this one for 1. */
const one = 2 ** 16

/** Steps from black to white and between the ends of a colour axis, of limited range. */
const steps = { luma: 219, chroma: 224 }

/** What a pixel's red, green and blue add to one sample; green is what the sum leaves, so that grey has no colour. */
function weights(red: number, blue: number, sum: number) {
  const [fromRed, fromBlue] = [Math.round((red * one) / 255), Math.round((blue * one) / 255)]
  return { red: fromRed, green: Math.round((sum * one) / 255) - fromRed - fromBlue, blue: fromBlue }
}

const luma = weights(steps.luma * share.red, steps.luma * share.blue, steps.luma)
const towards = (own: number, other: number) =>
  [steps.chroma / 2, (-steps.chroma * other) / (2 - 2 * own)] as const
const [blueOwn, blueOther] = towards(share.blue, share.red)
const [redOwn, redOther] = towards(share.red, share.blue)
const cb = weights(blueOther, blueOwn, 0)
const cr = weights(redOwn, redOther, 0)

/** Where black and grey lie, in samples and in weights; there with half a step for rounding. */
const lumaAt = 16
const chromaAt = 128
const lumaBase = (lumaAt + 0.5) * one
const chromaBase = (chromaAt + 0.5) * one

/**
 * A video's frame of 8-bit 4:2:0 samples, BT.709 of limited range, filled from pixels; the colour of four is their
 * mean, as ffmpeg's scaler takes it.
 */
export class Yuv420 {
  /** All brightness, then both axes of colour. */
  readonly bytes: Uint8Array
  readonly #width: number
  readonly #height: number
  /** The same, two samples at once. */
  readonly #pairs: Uint16Array

  constructor({ width, height }: { readonly width: number; readonly height: number }) {
    this.#width = width
    this.#height = height
    this.bytes = new Uint8Array((width * height * 3) / 2)
    this.#pairs = new Uint16Array(this.bytes.buffer)
  }

  /**
   * Writes opaque pixels (red, green, blue, alpha) of a box; `before` are those written there last, where known:
   * what is like them is not worked out again.
   */
  write(pixels: Uint8Array, box: Box, before?: Uint8Array): void {
    const [now, last] = [words(pixels), before && words(before)]
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
        bytes[at] = brightness(a)
        bytes[at + 1] = brightness(b)
        bytes[at + this.#width] = brightness(c)
        bytes[at + this.#width + 1] = brightness(d)
        // Red and blue at once: each sum of four keeps to its own 16 bits.
        const sums = (a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff)
        const red = sums & 0xffff
        const blue = sums >>> 16
        const green = ((a >>> 8) & 255) + ((b >>> 8) & 255) + ((c >>> 8) & 255) + ((d >>> 8) & 255)
        bytes[colour] = (cb.red * red + cb.green * green + cb.blue * blue + 4 * chromaBase) >>> 18
        bytes[colour + plane] = (cr.red * red + cr.green * green + cr.blue * blue + 4 * chromaBase) >>> 18
      }
    }
  }

  /**
   * Fills the frame from opaque pixels of half its width and height, smoothly. They are wider by `beside` on both
   * sides, as their colours are yet to be parted: red moves so many pixels to the left, green and blue to the right.
   */
  writeDoubled(pixels: Uint8Array, { beside, apart } = { beside: 0, apart: 0 }): void {
    const now = words(pixels)
    const [across, down] = [this.#width / 2, this.#height / 2]
    let [near, far] = [new Int32Array(across), new Int32Array(across)]
    for (let row = 0; row < down; row += 1) {
      this.#doubleAcross(now, near, { row, left: row * (across + 2 * beside) + beside, apart })
      if (row === 0) far.set(near)
      else this.#mixDown(2 * row - 1, far, near)
      this.#mixDown(2 * row, near, far)
      ;[near, far] = [far, near]
    }
    this.#mixDown(2 * down - 1, far, far)
  }

  /**
   * Writes the colours of a row, and answers its brightness twice as wide: of each pixel two samples in the halves of
   * one number, each three parts of it and one of its neighbour, of 64 steps each so that smoothing rounds only once.
   */
  #doubleAcross(
    now: Uint32Array,
    doubled: Int32Array,
    { row, left, apart }: { row: number; left: number; apart: number },
  ): void {
    const { bytes } = this
    const plane = bytes.length / 6
    const across = doubled.length
    let at = left
    let colour = 4 * plane + row * across
    let [before, here] = [0, 0]
    for (let column = 0; column < across; column += 1, at += 1, colour += 1) {
      const pixel = now[at - apart] ?? 0
      const red = (now[at + apart] ?? 0) & 255
      const green = (pixel >>> 8) & 255
      const blue = (pixel >>> 16) & 255
      bytes[colour] = (cb.red * red + cb.green * green + cb.blue * blue + chromaBase) >>> 16
      bytes[colour + plane] = (cr.red * red + cr.green * green + cr.blue * blue + chromaBase) >>> 16
      const next = (luma.red * red + luma.green * green + luma.blue * blue + lumaAt * one) >>> 12
      if (column === 0) [before, here] = [next, next]
      else doubled[column - 1] = (3 * here + before) | ((3 * here + next) << 16)
      before = here
      here = next
    }
    doubled[across - 1] = (3 * here + before) | ((4 * here) << 16)
  }

  /** Writes the brightness of a row: three parts of the nearer one and one of the farther. */
  #mixDown(row: number, near: Int32Array, far: Int32Array): void {
    const pairs = this.#pairs
    let at = (row * this.#width) / 2
    for (let column = 0; column < near.length; column += 1, at += 1) {
      // Both samples at once: each sum keeps to its own 16 bits.
      const both = (Math.imul(3, near[column] ?? 0) + (far[column] ?? 0) + 0x00800080) | 0
      pairs[at] = ((both >>> 8) & 0xff) | ((both >>> 16) & 0xff00)
    }
  }

  /** Lays over the frame what `overlay` made for its size. */
  lay({ at, add, keep }: Overlay): void {
    const { bytes } = this
    for (let index = 0; index < at.length; index += 1) {
      const sample = at[index] ?? 0
      bytes[sample] = ((bytes[sample] ?? 0) * (keep[index] ?? 0) + (add[index] ?? 0)) >>> 16
    }
  }
}

/** Pixels to be laid over many frames: of each sample that they change where it is, and what it becomes. */
export interface Overlay {
  readonly at: Uint32Array
  /** Shares of 2^16. */
  readonly keep: Int32Array
  readonly add: Int32Array
}

/** Makes pixels of a box, multiplied by their alpha, ready to be laid over frames that are so wide and high. */
export function overlay(
  pixels: Uint8Array,
  box: Box,
  frame: { readonly width: number; readonly height: number },
): Overlay {
  const [at, keep, add]: number[][] = [[], [], []]
  const put = (sample: number, { own, base, alpha }: { own: number; base: number; alpha: number }) => {
    at?.push(sample)
    keep?.push(one - Math.round(alpha * one))
    add?.push(Math.round(own + alpha * base * one + one / 2))
  }
  const plane = (frame.width * frame.height) / 4
  const ofAxis = ({ red, green, blue }: ReturnType<typeof weights>, from: number) =>
    red * (pixels[from] ?? 0) + green * (pixels[from + 1] ?? 0) + blue * (pixels[from + 2] ?? 0)
  for (let row = 0; row < box.height; row += 1) {
    for (let column = 0; column < box.width; column += 1) {
      const from = 4 * (row * box.width + column)
      const alpha = (pixels[from + 3] ?? 0) / 255
      const sample = (box.y + row) * frame.width + box.x + column
      if (alpha > 0) put(sample, { own: ofAxis(luma, from), base: lumaAt, alpha })
      if (row % 2 === 1 || column % 2 === 1) continue
      const four = [from, from + 4, from + 4 * box.width, from + 4 * box.width + 4]
      const mean = (value: (one: number) => number) => four.reduce((sum, next) => sum + value(next), 0) / 4
      const covered = mean((next) => (pixels[next + 3] ?? 0) / 255)
      if (covered === 0) continue
      const colour = 4 * plane + ((box.y + row) * frame.width) / 4 + (box.x + column) / 2
      put(colour, { own: mean((next) => ofAxis(cb, next)), base: chromaAt, alpha: covered })
      put(colour + plane, { own: mean((next) => ofAxis(cr, next)), base: chromaAt, alpha: covered })
    }
  }
  return {
    at: Uint32Array.from(at ?? []),
    keep: Int32Array.from(keep ?? []),
    add: Int32Array.from(add ?? []),
  }
}

function brightness(pixel: number): number {
  const red = pixel & 255
  const green = (pixel >>> 8) & 255
  const blue = (pixel >>> 16) & 255
  return (luma.red * red + luma.green * green + luma.blue * blue + lumaBase) >>> 16
}
