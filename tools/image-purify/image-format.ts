import type { RequestFile } from '../../src/contract/operation.ts'

/** How the cleaned image is encoded: in the source's format, as close to lossless as that allows. */
export interface ImageFormat {
  readonly extension: string
  readonly encoder: string
  readonly args: readonly string[]
}

/** Format of an image by its content, as extensions are often wrong; PNG where it is none of the others. */
export function imageFormat({ facts }: Pick<RequestFile, 'facts'>): ImageFormat {
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
