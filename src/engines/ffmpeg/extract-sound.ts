import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { inputArgs } from './run.ts'
import { stereoFilter } from './sound-filters.ts'
import { streamDecoded } from './stream-decoded.ts'

/** Extension of extracted sound: Ogg with FLAC, which is lossless and states its length when it is written to a pipe. */
export const extractedSoundExtension = '.ogg'

/** Time limit, ms: reading a file of 20 GiB takes minutes. It stays below the time that clients wait for a response. */
const extractTimeoutMs = 180_000

/**
 * Streams the first audio stream of a file as 48 kHz stereo, aligned with the start of the file. Throws 6014 without
 * sound, 6017 if most of it does not decode, 6402 after the time limit.
 */
export function extractSound(
  path: string,
  facts: MediaFacts,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const [sound] = facts.audio
  if (!sound) throw new MediaError(6014, 'the file has no sound', { hint: 'Use a file with sound.' })
  return streamDecoded({
    args: [
      ...inputArgs(path),
      ...['-map', '0:a:0', '-vn', '-af', stereoFilter(sound.channels === 1), '-sample_fmt', 's16'],
      ...['-c:a', 'flac', '-map_metadata', '-1', '-bitexact', '-f', 'ogg', 'pipe:1'],
    ],
    signal,
    timeoutMs: extractTimeoutMs,
  })
}
