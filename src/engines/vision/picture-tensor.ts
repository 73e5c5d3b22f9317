/** Pixels of three bytes in rows. */
interface Pixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Sides of a tensor. */
interface Size {
  readonly width: number
  readonly height: number
}

/** Red, green and blue of ITU-R BT.709, limited range, to and from brightness and both axes of colour. */
export function rgbOf(yuv: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(yuv.length)
  for (let at = 0; at < yuv.length; at += 3) {
    const light = 1.164_384 * ((yuv[at] ?? 0) - 16)
    const [blue, red] = [(yuv[at + 1] ?? 128) - 128, (yuv[at + 2] ?? 128) - 128]
    rgb[at] = toByte(light + 1.792_741 * red)
    rgb[at + 1] = toByte(light - 0.213_249 * blue - 0.532_909 * red)
    rgb[at + 2] = toByte(light + 2.112_402 * blue)
  }
  return rgb
}

/** The other way. */
export function yuvOf(rgb: Uint8Array): Uint8Array {
  const yuv = new Uint8Array(rgb.length)
  for (let at = 0; at < rgb.length; at += 3) {
    const [red, green, blue] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0]
    yuv[at] = toByte(16 + 0.182_586 * red + 0.614_231 * green + 0.062_007 * blue)
    yuv[at + 1] = toByte(128 - 0.100_644 * red - 0.338_572 * green + 0.439_216 * blue)
    yuv[at + 2] = toByte(128 + 0.439_216 * red - 0.398_942 * green - 0.040_274 * blue)
  }
  return yuv
}

/** One channel after the other, scaled to a size and by a factor. */
export function tensorOf({ width, height, pixels }: Pixels, size: Size, factor: number): Float32Array {
  const tensor = new Float32Array(3 * size.width * size.height)
  for (let channel = 0; channel < 3; channel += 1) {
    const plane = Float32Array.from(
      { length: width * height },
      (_, at) => factor * (pixels[at * 3 + channel] ?? 0),
    )
    tensor.set(resized(plane, { width, height }, size), channel * size.width * size.height)
  }
  return tensor
}

/** A plane at another size, between its values; the same where it has that size. */
export function resized(plane: Float32Array, from: Size, to: Size): Float32Array {
  if (from.width === to.width && from.height === to.height) return plane
  const other = new Float32Array(to.width * to.height)
  const [across, down] = [from.width / to.width, from.height / to.height]
  for (let row = 0; row < to.height; row += 1) {
    const y = Math.min(from.height - 1, Math.max(0, (row + 0.5) * down - 0.5))
    const top = Math.floor(y)
    const under = Math.min(from.height - 1, top + 1)
    for (let column = 0; column < to.width; column += 1) {
      const x = Math.min(from.width - 1, Math.max(0, (column + 0.5) * across - 0.5))
      const left = Math.floor(x)
      const right = Math.min(from.width - 1, left + 1)
      const above = between(plane[top * from.width + left], plane[top * from.width + right], x - left)
      const below = between(plane[under * from.width + left], plane[under * from.width + right], x - left)
      other[row * to.width + column] = above + (below - above) * (y - top)
    }
  }
  return other
}

/** The size a tensor has to have: fixed sides as they are, others as multiples of eight, which convolutions ask for. */
export function sizeFor(
  { width, height }: Size,
  fixed: { width: number | undefined; height: number | undefined },
): Size {
  const eights = (side: number) => Math.max(8, Math.round(side / 8) * 8)
  return { width: fixed.width ?? eights(width), height: fixed.height ?? eights(height) }
}

function between(one = 0, other = 0, share = 0): number {
  return one + (other - one) * share
}

function toByte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)))
}
