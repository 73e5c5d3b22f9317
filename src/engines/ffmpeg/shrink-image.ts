import { MediaError } from '../../contract/errors.ts'
import { imageDemuxer } from './image-format.ts'
import { maxImagePixels, runRaw } from './run.ts'

const timeoutMs = 20_000

/** Composites a picture c with opacity a on white: 1 - (1 - c) a. */
const onWhite = 'format=gbrap,negate,premultiply=inplace=1,negate'

/**
 * Returns a JPEG of an image, scaled so that its longest side is at most `longestSide` pixels, on white where it is
 * transparent. Throws 6017 for a format that is not supported and 6021 if it cannot be decoded.
 */
export async function shrinkImage(
  image: Uint8Array,
  { longestSide, signal }: { readonly longestSide: number; readonly signal?: AbortSignal | undefined },
): Promise<Uint8Array> {
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength)
  const box = `'min(${longestSide},iw)':'min(${longestSide},ih)':force_original_aspect_ratio=decrease`
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      ...['-protocol_whitelist', 'pipe', '-max_pixels', String(maxImagePixels), ...imageDemuxer(bytes)],
      ...['-i', 'pipe:0', '-frames:v', '1', '-vf', `scale=${box},${onWhite}`],
      ...['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '4', '-f', 'mjpeg', 'pipe:1'],
    ],
    input: bytes,
    timeoutMs,
    signal,
    onOutput: (chunk) => chunks.push(chunk),
  })
  if (chunks.length === 0) throw new MediaError(6021, 'the picture could not be decoded')
  return Buffer.concat(chunks)
}
