import { MediaError } from '../../src/contract/errors.ts'
import type { Rational } from '../../src/contract/media-facts.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { pictureInput } from '../../src/engines/ffmpeg/alpha-seek.ts'
import { fileTimes } from '../../src/engines/ffmpeg/input-options.ts'
import { inputArgs, isInputError, runFfmpeg, runRaw } from '../../src/engines/ffmpeg/run.ts'
import {
  cutFades,
  padTo,
  soundDecodeStart,
  soundRate,
  stereoFilter,
  truePeakLimiter,
} from '../../src/engines/ffmpeg/sound-filters.ts'
import { limitingPercent, limitTruePeak } from '../../src/engines/ffmpeg/true-peak.ts'
import { formatRate, frameCount, hertz } from '../../src/media/frame-rate.ts'
import type { Size } from '../../src/media/geometry.ts'
import { type ClipPlacement, splitScreenGraph } from './picture.ts'
import type { SelectedClip } from './selection.ts'

type StagedClip = SelectedClip<StagedFile>

/** A split screen whose sizes, times and settings are resolved. */
interface SplitScreen {
  readonly clips: readonly StagedClip[]
  /** Placement of each clip's picture, in the same order. */
  readonly pictures: readonly ClipPlacement[]
  readonly canvas: Size
  readonly rate: Rational
  readonly durationMs: number
  /** Background colour, #RRGGBB. */
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
 * Encodes a split screen to an mp4 at `path` with one filter graph. expectedSeconds: estimated duration of the work,
 * from which the time limit is derived. Returns notes for the result.
 */
export async function encodeSplitScreen(
  screen: SplitScreen,
  context: RunContext,
  { path, expectedSeconds }: { path: string; expectedSeconds: number },
): Promise<string[]> {
  const { clips, rate, audio } = screen
  const frames = frameCount(screen.durationMs, rate)
  const seconds = frames / hertz(rate)
  const audioStreams = clips.map(({ file }) => file.facts?.audio[0])
  const isCutAt = (index: number, ms: number) => isInsideSound(clips[index]?.file, ms)
  const audible = audibleClips(
    audio,
    audioStreams.map((stream) => stream !== undefined),
  ).map((index): AudibleClip => {
    const beginMs = clips[index]?.beginMs ?? 0
    return {
      ...{ index, beginMs, mono: audioStreams[index]?.channels === 1 },
      fadeIn: isCutAt(index, beginMs),
      fadeOut: isCutAt(index, beginMs + seconds * 1000),
    }
  })
  const graphs = [
    splitScreenGraph({ ...screen, frames, clips: screen.pictures }),
    ...(audible.length > 0 ? [audioMixGraph({ inputs: audible, seconds })] : []),
  ]
  const timeoutMs = encodeTimeoutMs(expectedSeconds)
  const encodingPercent = audible.length > 1 ? 100 - limitingPercent : 100
  const inputs = await Promise.all(
    clips.map(async ({ file, video, beginMs }, index) => {
      // Decoding starts at a key frame before the range, and the graphs cut at the start of the range.
      const isAudible = audible.some((one) => one.index === index)
      const from = isAudible ? soundDecodeStart(beginMs / 1000) : beginMs / 1000
      const time = { video, seconds: from, signal: context.signal }
      return inputArgs(file.path, (await pictureInput(file.path, time)).options)
    }),
  )
  await runFfmpeg({
    args: [
      ...fileTimes,
      ...inputs.flat(),
      ...['-filter_complex', graphs.join(';'), '-map', '[v]', ...splitScreenEncoderArgs, ...bt709Tags],
      ...['-threads', String(context.threads), '-r', formatRate(rate)],
      ...(audible.length > 0 ? ['-map', '[a]', '-c:a', 'aac', '-b:a', '192k'] : []),
      // Half a frame of margin, so that rounding never drops the last frame. The graphs limit the duration
      // themselves.
      ...['-t', (seconds + 0.5 / hertz(rate)).toFixed(6)],
      // Tags of the sources, such as locations and names, are not copied to the result.
      ...['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart', path],
    ],
    cwd: context.scratch,
    signal: context.signal,
    timeoutMs,
    durationMs: seconds * 1000,
    onProgress: (percent) => context.progress((percent * encodingPercent) / 100),
  })
  if (audible.length <= 1) return []
  const onProgress = (percent: number) =>
    context.progress(encodingPercent + (percent * limitingPercent) / 100)
  return await limitTruePeak(path, { seconds, signal: context.signal, timeoutMs, onProgress })
}

/** Returns the time limit, ms. The margin is large because a machine may be busy or slow: it only ends stalled runs. */
function encodeTimeoutMs(expectedSeconds: number): number {
  return (10 * 60 + 30 * expectedSeconds) * 1000
}

/** A clip whose sound is part of the result. */
interface AudibleClip {
  /** Index of the input of the clip. */
  readonly index: number
  readonly mono: boolean
  /** Start of the range of the clip in its file, ms. */
  readonly beginMs: number
  /** Whether the range starts or ends inside the sound of the file. */
  readonly fadeIn: boolean
  readonly fadeOut: boolean
}

/** Returns whether a file has sound on both sides of a time, ms, so that a cut there clicks. */
function isInsideSound(file: StagedFile | undefined, ms: number): boolean {
  const { start_ms: start = 0, duration_ms: duration = 0 } = file?.facts?.audio[0] ?? {}
  return ms > start + 1 && ms < start + (duration || (file?.facts?.duration_ms ?? 0)) - 1
}

interface AudioMixGraphOptions {
  readonly inputs: readonly AudibleClip[]
  /** Duration of the result, seconds. */
  readonly seconds: number
}

/** Returns the indexes of the audible clips: the first with sound, all with sound, or none. */
function audibleClips(mode: 'first' | 'mix' | 'mute', hasSound: readonly boolean[]): number[] {
  if (mode === 'mute') return []
  const withSound = hasSound.flatMap((has, index) => (has ? [index] : []))
  return mode === 'first' ? withSound.slice(0, 1) : withSound
}

/** Returns the filter graph of the sound: 48 kHz stereo of exactly `seconds`. The output label is [a]. */
function audioMixGraph({ inputs, seconds }: AudioMixGraphOptions): string {
  const chains = inputs.map(({ index, mono, beginMs, fadeIn, fadeOut }) => {
    const fades = cutFades({ samples: Math.round(seconds * soundRate), fadeIn, fadeOut })
    const filters = [`asetpts=PTS-${beginMs / 1000}/TB`, stereoFilter(mono), ...fades]
    return `[${index}:a:0]${filters.join(',')}[a${index}]`
  })
  const labels = inputs.map(({ index }) => `[a${index}]`).join('')
  const end = `atrim=end=${seconds.toFixed(6)}[a]`
  if (inputs.length === 1) return `${chains.join(';')};${labels}${padTo(seconds)},${end}`
  // The power of unrelated sounds adds up. With this weight, a mix is about as loud as a single sound.
  const weight = (1 / Math.sqrt(inputs.length)).toFixed(6)
  const mix = `amix=inputs=${inputs.length}:duration=longest:normalize=0:weights=${inputs.map(() => weight).join(' ')}`
  return `${chains.join(';')};${labels}${mix},${padTo(seconds)},${truePeakLimiter()},${end}`
}

/**
 * Checks that every clip has a picture at the end of its range, because a truncated file still states its full
 * duration. Throws 6021 otherwise.
 */
export async function checkLastPictures(clips: readonly StagedClip[], signal: AbortSignal): Promise<void> {
  const checkedClips: CheckedClip[] = []
  for (const clip of clips) {
    const time = { video: clip.video, seconds: lastPictureTime(clip), signal }
    checkedClips.push({ ...clip, input: await pictureInput(clip.file.path, time) })
  }
  // One process checks all clips. Each clip is checked separately only if a picture is missing.
  if (await allHavePicture(checkedClips, signal)) return
  await Promise.all(
    checkedClips.map(async (clip) => {
      if (await allHavePicture([clip], signal)) return
      const { file } = clip
      throw new MediaError(
        6021,
        `${file.name}: there is no picture at ${lastPictureTime(clip).toFixed(1)} s`,
        {
          hint: 'The file is cut off or damaged before that; export it again, or end the clip earlier with end_time_ms.',
        },
      )
    }),
  )
}

/** Time limit for one picture per clip, ms, with all clips in one process or one process per clip. */
const checkTimeoutMs = 60_000

/** Width and height to which the checked pictures are scaled, pixels. */
const checkSide = 16

/** A clip and how to decode the end of its range. */
interface CheckedClip extends StagedClip {
  readonly input: Awaited<ReturnType<typeof pictureInput>>
}

/** Returns whether one picture of each clip is decoded, from the key frame before the end of its range. */
async function allHavePicture(clips: readonly CheckedClip[], signal: AbortSignal): Promise<boolean> {
  if (!clips.every(({ input }) => input.isDecodable)) return false
  let bytes = 0
  try {
    await runRaw({
      args: [
        ...clips.flatMap(({ file, input }) => inputArgs(file.path, input.options)),
        ...clips.flatMap((_, index) => [
          ...['-map', `${index}:V:0`, '-frames:v', '1'],
          // Accepts any picture from the key frame on.
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
