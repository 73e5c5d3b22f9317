import type { GivenFile } from '../../src/contract/operation.ts'
import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { StillImage } from '../../src/media/clean/inpaint/fill-still.ts'

/** How an image is written: as it was read, as near to it as its format allows. */
export interface Form {
  readonly extension: string
  readonly encoder: string
  readonly args: readonly string[]
}

/** By content, as extensions of images are often wrong. */
export function formOf({ facts }: Pick<GivenFile, 'facts'>): Form {
  const { pixel_format = '', alpha = false } = facts?.video ?? {}
  switch (facts?.container) {
    case 'jpeg_pipe': {
      const kept = pixel_format.includes('444')
        ? 'yuvj444p'
        : pixel_format.includes('422')
          ? 'yuvj422p'
          : 'yuvj420p'
      return { extension: '.jpg', encoder: 'mjpeg', args: ['-q:v', '2', '-pix_fmt', kept] }
    }
    case 'webp_pipe':
      return {
        extension: '.webp',
        encoder: 'libwebp',
        args: ['-quality', '95', '-pix_fmt', alpha ? 'yuva420p' : 'yuv420p'],
      }
    case 'bmp_pipe':
      return { extension: '.bmp', encoder: 'bmp', args: ['-pix_fmt', alpha ? 'bgra' : 'bgr24'] }
    default:
      return { extension: '.png', encoder: 'png', args: ['-pix_fmt', alpha ? 'rgba' : 'rgb24'] }
  }
}

const encodeMs = 120_000

/** Writes four-byte pixels as an image, without any of the source's tags. */
export async function encodeStill(
  path: string,
  { still, form, signal }: { still: StillImage; form: Form; signal: AbortSignal },
): Promise<void> {
  await runRaw({
    input: still.bytes,
    args: [
      ...['-protocol_whitelist', 'pipe', '-f', 'rawvideo', '-pix_fmt', 'rgba'],
      ...['-video_size', `${still.width}x${still.height}`, '-i', 'pipe:0', '-frames:v', '1'],
      ...['-c:v', form.encoder, ...form.args, '-update', '1', '-f', 'image2', path],
    ],
    timeoutMs: encodeMs,
    signal,
  })
}
