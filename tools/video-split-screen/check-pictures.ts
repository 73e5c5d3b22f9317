import { MediaError } from '../../src/contract/errors.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import { isInputError } from '../../src/engines/ffmpeg/input-error.ts'
import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { fromKeyFrame } from '../../src/engines/ffmpeg/seek.ts'
import type { SelectedClip } from './selection.ts'

type Clip = SelectedClip<StagedFile>

/**
 * A file cut off in the middle still tells its whole length. Throws 6021 where no picture is left at the end of
 * a clip's range; pictures before it are decoded from the keyframe before them in any case.
 */
export async function checkPictures(clips: readonly Clip[], signal: AbortSignal): Promise<void> {
  // One start tells of all; only where one of them has none, each is asked.
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

/** Time for one picture of each, which take it together or one after another, ms. */
const checkTimeoutMs = 60_000

/** Width and height of what a picture is scaled to. */
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
          // One of before that time counts as well.
          ...['-vf', `setpts=0,scale=${checkSide}:${checkSide},format=gray`, '-f', 'rawvideo', 'pipe:1'],
        ]),
      ],
      timeoutMs: checkTimeoutMs,
      signal,
      onOutput: (chunk) => (bytes += chunk.length),
    })
  } catch (error) {
    // What the machine is to blame for says nothing of the file.
    if (!isInputError(error)) throw error
  }
  return bytes >= clips.length * checkSide * checkSide
}

/** The end of a clip's range, s. */
function lastPictureTime({ beginMs, endMs }: Clip): number {
  return Math.max(beginMs, endMs - 1) / 1000
}
