import { MediaError } from '../../contract/errors.ts'
import { listWithFfprobe, type ProbeOptions } from './ffprobe.ts'
import { firstPicturesArgs } from './first-pictures.ts'
import { isInputError } from './input-error.ts'

/**
 * A recording that begins in the middle of a group of pictures decodes from the next key frame on: within s. What lies
 * between them is left out, as it takes long to decode and comes to nothing.
 */
const firstKeyFramesArgs: readonly string[] = [
  ...['-skip_frame', 'nokey'],
  ...['-select_streams', 'V:0', '-read_intervals', '%+120'],
]

/** One that is refreshed bit by bit has no key frames: it decodes once all of its picture was refreshed. */
const firstSecondsArgs: readonly string[] = ['-select_streams', 'V:0', '-read_intervals', '%+30']

/**
 * Decodes the first pictures of a video that are no cover image; throws 6021 when none decodes, 6402 when the
 * machine takes too long for those few.
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

/** Whether one of the pictures decodes; reads no further than it is told of one. */
async function decodesAny(
  path: string,
  pictures: readonly string[],
  { signal }: ProbeOptions,
): Promise<boolean> {
  const told = new AbortController()
  try {
    // All of a frame is asked for: what is told is held back until there is enough of it.
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
