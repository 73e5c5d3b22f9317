import { MediaError } from '../../src/contract/errors.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import { isInputError } from '../../src/engines/ffmpeg/input-error.ts'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { fromKeyFrame } from '../../src/engines/ffmpeg/seek.ts'
import type { SelectedClip } from './selection.ts'

type Clip = SelectedClip<StagedFile>

/**
 * Checks that every clip has a picture at the end of its range, because a truncated file still states its
 * full duration. Throws 6021 otherwise. Decoding starts at the preceding key frame, so earlier pictures are
 * decoded too.
 */
export async function checkPictures(clips: readonly Clip[], signal: AbortSignal): Promise<void> {
  // One process checks all clips. Each clip is checked separately only if a picture is missing.
  if (await allHavePicture(clips, signal)) return
  await Promise.all(
    clips.map(async (clip) => {
      if (await allHavePicture([clip], signal)) return
      const { file } = clip
      throw new MediaError(
        6021,
        `${file.name}: there is no picture at ${lastPictureTime(clip).toFixed(1)} s`,
        {
          hint: 'The file is cut off before that; export it again, or end the clip earlier with end_time_ms.',
        },
      )
    }),
  )
}

/** Time limit for one picture per clip, ms, with all clips in one process or one process per clip. */
const checkTimeoutMs = 60_000

/** Width and height to which a picture is scaled, pixels. */
const checkSide = 16

async function allHavePicture(clips: readonly Clip[], signal: AbortSignal): Promise<boolean> {
  let bytes = 0
  try {
    await runRaw({
      args: [
        ...clips.flatMap((clip) =>
          inputArgs(clip.file.path, fromKeyFrame(lastPictureTime(clip), clip.video)),
        ),
        ...clips.flatMap((_, index) => [
          ...['-map', `${index}:V:0`, '-frames:v', '1'],
          // A picture before that time counts as well.
          ...['-vf', `setpts=0,scale=${checkSide}:${checkSide},format=gray`, '-f', 'rawvideo', 'pipe:1'],
        ]),
      ],
      timeoutMs: checkTimeoutMs,
      signal,
      onOutput: (chunk) => (bytes += chunk.length),
    })
  } catch (error) {
    // Failures of the machine say nothing about the file and are rethrown.
    if (!isInputError(error)) throw error
  }
  return bytes >= clips.length * checkSide * checkSide
}

/** Returns the time of the last picture in a clip's range, seconds. */
function lastPictureTime({ beginMs, endMs }: Clip): number {
  return Math.max(beginMs, endMs - 1) / 1000
}
