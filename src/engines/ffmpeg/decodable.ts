import { MediaError } from '../../contract/errors.ts'
import { listWithFfprobe, type ProbeOptions } from './ffprobe.ts'
import { firstPicturesArgs } from './first-pictures.ts'
import { isInputError } from './input-error.ts'

/**
 * Reads key frames of the first 120 s only. A recording that starts inside a group of pictures decodes from
 * its next key frame, within seconds. Decoding the frames before it takes long and yields nothing.
 */
const firstKeyFramesArgs: readonly string[] = [
  ...['-skip_frame', 'nokey'],
  ...['-select_streams', 'V:0', '-read_intervals', '%+120'],
]

/** Reads the first 30 s. A video with intra refresh has no key frames and decodes after one full refresh. */
const firstSecondsArgs: readonly string[] = ['-select_streams', 'V:0', '-read_intervals', '%+30']

/**
 * Decodes the first pictures of a video, ignoring cover images. Throws 6021 if none decodes and 6402 if the
 * machine takes too long for these few.
 */
export async function checkDecodable(path: string, options: ProbeOptions = {}): Promise<void> {
  try {
    for (const pictures of [firstPicturesArgs, firstKeyFramesArgs, firstSecondsArgs])
      if (await decodesAny(path, pictures, options)) return
  } catch (error) {
    throw isInputError(error) ? undecodable(error) : error
  }
  throw undecodable()
}

/** Returns whether any of the pictures decodes. Stops reading at the first decoded frame. */
async function decodesAny(
  path: string,
  pictures: readonly string[],
  { signal }: ProbeOptions,
): Promise<boolean> {
  const told = new AbortController()
  try {
    // Requests all frame fields, because ffprobe buffers its output until it has enough of it.
    await listWithFfprobe(path, [...pictures, '-show_entries', 'frame'], {
      signal: signal ? AbortSignal.any([signal, told.signal]) : told.signal,
      isBounded: true,
      onEntry([section]) {
        if (section === 'frame') told.abort()
      },
    })
  } catch (error) {
    if (!told.signal.aborted) throw error
  }
  return told.signal.aborted
}

function undecodable(cause?: unknown): MediaError {
  return new MediaError(6021, 'no frame of the video could be decoded', { cause })
}
