import { words } from '../../src/media/colour/words.ts'

/**
 * Parts the colours of a picture: red moves so many pixels to the left, green and blue to the right. The picture is
 * wider than `into` by as much on both sides at least.
 */
export function shiftChannels(
  picture: Uint8Array,
  into: Uint8Array,
  { from, to, apart }: { readonly from: number; readonly to: number; readonly apart: number },
): void {
  const [pixels, parted] = [words(picture), words(into)]
  const rows = parted.length / to
  for (let row = 0; row < rows; row += 1) {
    let at = row * from + (from - to) / 2
    for (let pixel = row * to; pixel < (row + 1) * to; pixel += 1, at += 1)
      parted[pixel] = ((pixels[at - apart] ?? 0) & 0xffffff00) | ((pixels[at + apart] ?? 0) & 0xff)
  }
}
