import type { VideoFacts } from '../../contract/media-facts.ts'
import { locateFfmpeg } from './locate.ts'

const decoders: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' }

/**
 * Returns the input options that select libvpx for transparent VP8 and VP9. ffmpeg's native decoders drop
 * their alpha.
 */
export async function alphaDecoder({ codec, alpha }: VideoFacts): Promise<string[]> {
  const decoder = decoders[codec]
  if (!alpha || decoder === undefined) return []
  // A build with the libvpx encoder also has the decoder of the same name.
  const { encoders } = await locateFfmpeg()
  return encoders.has(decoder) ? ['-c:v', decoder] : []
}
