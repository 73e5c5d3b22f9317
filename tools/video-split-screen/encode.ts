import { MediaError } from '../../src/contract/errors.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { alphaDecoder, fileTimes, fromKeyFrame } from '../../src/engines/ffmpeg/input-options.ts'
import { inputArgs, isInputError, runFfmpeg, runRaw } from '../../src/engines/ffmpeg/run.ts'
import { limiter, stereoFilter } from '../../src/engines/ffmpeg/sound-filters.ts'
import { frameCount, hertz } from '../../src/media/frame-rate.ts'
import type { Size } from '../../src/media/geometry.ts'
import { type ClipPlacement, splitScreenGraph } from './picture.ts'
import type { SelectedClip } from './selection.ts'

/** A split screen with final pixels, times and settings. */
interface SplitScreen {
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
    splitScreenGraph({ ...screen, frames, clips: screen.pictures }),
    ...(heard.length > 0 ? [audioMixGraph({ inputs: heard, seconds })] : []),
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

/** An audible clip. */
interface AudibleClip {
  /** Index of its input. Timestamps are those of its file. */
  readonly index: number
  readonly mono: boolean
  /** Start of its range, ms. */
  readonly beginMs: number
}

/** Sound of a result: the audible clips and the duration in seconds. */
interface AudioMixGraphOptions {
  readonly inputs: readonly AudibleClip[]
  readonly seconds: number
}

/** Returns the indexes of the audible clips: the first with sound, all with sound, or none. */
function audibleClips(mode: 'first' | 'mix' | 'mute', hasSound: readonly boolean[]): number[] {
  const sounding = hasSound.flatMap((has, index) => (has ? [index] : []))
  if (mode === 'mute') return []
  return mode === 'first' ? sounding.slice(0, 1) : sounding
}

/**
 * Returns the filter graph of the sound: 48 kHz stereo of exactly the given duration. The output label is
 * [a].
 */
function audioMixGraph({ inputs, seconds }: AudioMixGraphOptions): string {
  const chains = inputs.map(
    ({ index, mono, beginMs }) =>
      `[${index}:a:0]asetpts=PTS-${beginMs / 1000}/TB,${stereoFilter(mono)}[a${index}]`,
  )
  const labels = inputs.map(({ index }) => `[a${index}]`).join('')
  const end = `apad,atrim=end=${seconds.toFixed(6)}[a]`
  if (inputs.length === 1) return `${chains.join(';')};${labels}${end}`
  // The power of unrelated sounds adds up. With this weight, a mix is about as loud as a single sound.
  const weight = (1 / Math.sqrt(inputs.length)).toFixed(6)
  const mix = `amix=inputs=${inputs.length}:duration=longest:normalize=0:weights=${inputs.map(() => weight).join(' ')}`
  return `${chains.join(';')};${labels}${mix},apad,${limiter},${end}`
}

type StagedClip = SelectedClip<StagedFile>

/**
 * Checks that every clip has a picture at the end of its range, because a truncated file still states its
 * full duration. Throws 6021 otherwise. Decoding starts at the preceding key frame, so earlier pictures are
 * decoded too.
 */
export async function checkLastPictures(clips: readonly StagedClip[], signal: AbortSignal): Promise<void> {
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

async function allHavePicture(clips: readonly StagedClip[], signal: AbortSignal): Promise<boolean> {
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
function lastPictureTime({ beginMs, endMs }: StagedClip): number {
  return Math.max(beginMs, endMs - 1) / 1000
}
