import { imageHint, MediaError } from '../../contract/errors.ts'
import type { VideoFacts } from '../../contract/media-facts.ts'
import type { Luma } from '../../media/text/luma.ts'
import { fitInside } from '../ffmpeg/draw-sheet.ts'
import { encodeJpeg } from '../ffmpeg/preview.ts'
import { stillPicture } from '../ffmpeg/read-frames.ts'

/** Longest side of small pictures, px: enough to describe them, at about 700 tokens each. */
export const smallPictureSide = 768

/** A small copy of a still picture as displayed, on white where it is transparent. */
export interface SmallPicture {
  readonly jpeg: Uint8Array
  /** Levels 0 (black) to 255 (ITU-R BT.709). */
  readonly luma: Luma
}

/** Returns a small copy of a still picture; none is enlarged. Throws 6021 if it is damaged. */
export async function smallPicture(
  path: string,
  { video, signal }: { readonly video: VideoFacts; readonly signal: AbortSignal },
): Promise<SmallPicture> {
  const side = Math.min(smallPictureSide, Math.max(video.width, video.height))
  const size = fitInside(video, { width: side, height: side })
  const rgba = await stillPicture(path, { video, ...size, isWhole: true, signal })
  if (!rgba) throw new MediaError(6021, 'the picture is damaged or could not be decoded', { hint: imageHint })
  const pixels = new Uint8Array(size.width * size.height * 3)
  const values = new Uint8Array(size.width * size.height)
  for (let at = 0; at < values.length; at += 1) {
    const alpha = (rgba[at * 4 + 3] ?? 255) / 255
    for (let channel = 0; channel < 3; channel += 1)
      pixels[at * 3 + channel] = Math.round(255 - alpha * (255 - (rgba[at * 4 + channel] ?? 0)))
    const [red = 0, green = 0, blue = 0] = pixels.subarray(at * 3, at * 3 + 3)
    values[at] = Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue)
  }
  return { jpeg: await encodeJpeg({ ...size, pixels }, { signal }), luma: { ...size, values } }
}
