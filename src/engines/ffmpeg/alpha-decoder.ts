import type { VideoFacts } from '../../contract/media-facts.ts'
import { locateFfmpeg } from './locate.ts'

const decoders: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' }

/** Input options for a picture's transparency: ffmpeg's own VP8 and VP9 decoders leave out what libvpx reads. */
export async function alphaDecoder({ codec, alpha }: VideoFacts): Promise<string[]> {
  const decoder = decoders[codec]
  if (!alpha || decoder === undefined) return []
  // A build with one side of libvpx has the other under the same name.
  const { encoders } = await locateFfmpeg()
  return encoders.has(decoder) ? ['-c:v', decoder] : []
}
