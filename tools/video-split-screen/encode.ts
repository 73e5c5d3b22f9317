import type { Rational } from '../../src/contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { alphaDecoder } from '../../src/engines/ffmpeg/alpha-decoder.ts'
import { bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { inputArgs, runFfmpeg } from '../../src/engines/ffmpeg/run.ts'
import { fileTimes, fromKeyFrame } from '../../src/engines/ffmpeg/seek.ts'
import { hertz, frameCount } from '../../src/media/frame-rate.ts'
import { pictureGraph } from './picture.ts'
import type { ClipPlacement } from './place.ts'
import type { SelectedClip } from './selection.ts'
import { audibleClips, soundGraph } from './sound.ts'
import type { Size } from '../../src/media/geometry.ts'

/** A split screen with final pixels, times and settings. */
export interface SplitScreen {
  readonly clips: readonly SelectedClip<StagedFile>[]
  /** Placement of each clip's picture, in the same order. */
  readonly pictures: readonly ClipPlacement[]
  readonly canvas: Size
  readonly rate: Rational
  readonly durationMs: number
  /** #RRGGBB. */
  readonly background: string
  readonly audio: 'first' | 'mix' | 'mute'
}

/**
 * Encoder settings. veryfast: the next slower preset takes a third more time, and files of the same quality
 * are not smaller. CRF 18 with less deblocking: at CRF 20 and default deblocking, thin lines and small text
 * lost a tenth of their contrast in key frames, and split screens consist of small pictures.
 */
export const splitScreenEncoderArgs: readonly string[] = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-x264-params', 'deblock=-2,-2'],
  ...['-pix_fmt', 'yuv420p'],
]

/**
 * Encodes the mp4 at `path` with one filter graph.
 *
 * @param expectedSeconds the estimated duration of the work, from which the time limit is derived
 */
export async function encodeSplitScreen(
  screen: SplitScreen,
  context: RunContext,
  { path, expectedSeconds }: { path: string; expectedSeconds: number },
): Promise<void> {
  const { clips, rate, audio } = screen
  const frames = frameCount(screen.durationMs, rate)
  const seconds = frames / hertz(rate)
  const sounds = clips.map(({ file }) => file.facts?.audio[0])
  const heard = audibleClips(
    audio,
    sounds.map((sound) => sound !== undefined),
  ).map((index) => ({
    index,
    mono: sounds[index]?.channels === 1,
    beginMs: clips[index]?.beginMs ?? 0,
  }))
  const graphs = [
    pictureGraph({ ...screen, frames, clips: screen.pictures }),
    ...(heard.length > 0 ? [soundGraph({ inputs: heard, seconds })] : []),
  ]
  const inputs = await Promise.all(clips.map(clipInputArgs))
  await runFfmpeg({
    args: [
      ...fileTimes,
      ...inputs.flat(),
      ...['-filter_complex', graphs.join(';'), '-map', '[v]', ...splitScreenEncoderArgs, ...bt709Tags],
      ...['-threads', String(context.threads), '-r', `${rate.num}/${rate.den}`],
      ...(heard.length > 0 ? ['-map', '[a]', '-c:a', 'aac', '-b:a', '192k'] : []),
      // Half a frame of margin, so that rounding never drops the last frame. The graphs limit the duration
      // themselves.
      ...['-t', (seconds + 0.5 / hertz(rate)).toFixed(6)],
      // Tags of the sources, such as locations and names, are not copied to the result.
      ...['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart', path],
    ],
    cwd: context.scratch,
    signal: context.signal,
    timeoutMs: encodeTimeoutMs(expectedSeconds),
    durationMs: seconds * 1000,
    onProgress: (percent) => context.progress(percent),
  })
}

/**
 * Returns the time limit, ms. The margin is large because a machine may be busy or slow. It only ends stalled
 * runs.
 */
function encodeTimeoutMs(expectedSeconds: number): number {
  return (10 * 60 + 30 * expectedSeconds) * 1000
}

/** Starts decoding at the key frame before the range. The graphs cut at the start of the range. */
async function clipInputArgs({ file, video, beginMs }: SelectedClip<StagedFile>): Promise<string[]> {
  return inputArgs(file.path, [...(await alphaDecoder(video)), ...fromKeyFrame(beginMs / 1000, video)])
}
