import { rm, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext } from '../../src/contract/operation.ts'
import { alphaDecoder, fileTimes, fromKeyFrame } from '../../src/engines/ffmpeg/input-options.ts'
import { bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { isPictureGap } from '../../src/engines/ffmpeg/decodable.ts'
import { aacArgs, pcmInput, type Pcm } from '../../src/engines/ffmpeg/sound.ts'
import { fileUrl, inputArgs, type ProgressReport, runWithReports } from '../../src/engines/ffmpeg/run.ts'
import {
  createPart,
  type TimelinePart,
  type SequentialRead,
  totalUnits,
} from '../../src/media/timeline/pieces.ts'
import { clipTolerance } from '../../src/media/timeline/timeline.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import { partGraph } from './picture.ts'
import type { EndCheck, PictureOptions } from './picture.ts'

/**
 * Encoder settings. All parts use the same settings because they are joined without re-encoding. veryfast:
 * the next slower preset takes a third more time, and files of the same quality are not smaller.
 */
export const timelineEncoderArgs: readonly string[] = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-pix_fmt', 'yuv420p'],
]

/** A part to encode. */
interface EncodePartOptions {
  readonly part: TimelinePart
  /** Sound of the result, if the part is the whole result. Errors of the sound abort the signal. */
  readonly sound: Pcm | undefined
  readonly picture: PictureOptions
  readonly context: RunContext
  readonly signal: AbortSignal
  readonly threads: number
  readonly timeoutMs: number
  /** Called with the number of frames encoded so far. */
  readonly onFrames: (frames: number) => void
}

/**
 * Encodes one part of the picture in the folder of the run. The groups other than the live one are first
 * decoded, one after another, to temporary raw frames. Throws 6021 with the clip if pictures are missing.
 */
export async function encodePart(path: string, job: EncodePartOptions): Promise<void> {
  const { groups, mainGroup: live } = job.part
  const others = groups.filter((group) => group !== live)
  const raw = others.map((_, index) => `${path}-${index}.yuv`)
  try {
    for (const [index, group] of others.entries()) {
      const alone = { ...job, part: createPart([group]), sound: undefined, onFrames: () => {} }
      await renderFrames({ path: raw[index] ?? '', args: rawArgs, inputs: [] }, alone)
    }
    const args = [...timelineEncoderArgs, ...bt709Tags, '-map_metadata', '-1', '-map_chapters', '-1']
    await renderFrames({ path, args, inputs: raw.map((one) => rawInput(one, job.picture)) }, job)
  } finally {
    await Promise.all(raw.map((one) => rm(one, { force: true })))
  }
}

/** Output options for temporary raw frames, in the pixel format of the graphs. */
const rawArgs: readonly string[] = ['-c:v', 'rawvideo', '-pix_fmt', 'yuv420p', '-f', 'rawvideo']

function rawInput(path: string, { canvas: { width, height, rate } }: PictureOptions): string[] {
  return [
    ...['-protocol_whitelist', 'file', '-f', 'rawvideo', '-pixel_format', 'yuv420p'],
    ...['-video_size', `${width}x${height}`, '-framerate', String(rate), '-i', fileUrl(path)],
  ]
}

/** Output of a part and its additional inputs. */
interface RenderOutput {
  readonly path: string
  /** Encoder options. */
  readonly args: readonly string[]
  /** Input options of the raw frames of the other groups. */
  readonly inputs: readonly (readonly string[])[]
}

async function renderFrames({ path, args, inputs }: RenderOutput, job: EncodePartOptions): Promise<void> {
  const { part, sound, picture: wish, context, signal, timeoutMs } = job
  const threads = String(job.threads)
  const { reads, graph, endChecks: endings } = partGraph(part, wish, parse(path).base)
  const read = await Promise.all(reads.map((one) => readInputArgs(one, job)))
  let made = 0
  const onReport = ({ frames }: ProgressReport) => {
    made = frames
    job.onFrames(frames)
  }
  const damage = await runWithReports(
    {
      args: [
        ...[...fileTimes, ...read.flat(), ...inputs.flat(), ...(sound ? pcmInput : [])],
        ...['-filter_complex_threads', threads, '-filter_complex', graph, '-map', '[v]'],
        ...(sound ? soundOutputArgs(sound, read.length + inputs.length) : []),
        ...[...args, '-threads', threads, '-r', String(wish.canvas.rate), path],
      ],
      ...{ cwd: context.scratch, signal, timeoutMs, input: sound?.input },
    },
    onReport,
  ).catch((error: unknown) => {
    signal.throwIfAborted()
    return damageError(error)
  })
  const fewAtOnce = limitConcurrency(2)
  await Promise.all(endings.map((ending) => fewAtOnce(() => checkEnding(ending, job))))
  if (made === totalUnits(part.groups.flat()) && !damage) return
  const places = endings.map(({ range: stretch }) => stretch.clip.requestPath).join(', ')
  throw new MediaError(6021, `pictures are missing in one of ${places}`, {
    cause: damage,
    hint: 'One of these files is damaged inside the range; export it again.',
  })
}

/** Returns the output options for sound from the input with this index. */
function soundOutputArgs(sound: Pcm, input: number): string[] {
  return ['-map', `${input}:a:0`, ...aacArgs(sound), '-movflags', '+faststart']
}

/**
 * Returns errors that indicate damage and rethrows others. ffmpeg fails if most of its input does not decode,
 * and does not name the file.
 */
function damageError(error: unknown): MediaError {
  if (error instanceof MediaError && error.code === 6017) return error
  throw error
}

async function readInputArgs(
  [{ clip, from }]: SequentialRead,
  { picture: wish, context, threads }: EncodePartOptions,
): Promise<string[]> {
  const video = wish.videoOf(clip.material)
  return inputArgs(context.files.get(clip.material).path, [
    ...(await alphaDecoder(video)),
    ...['-threads', String(threads), '-an'],
    ...fromKeyFrame(from, video),
  ])
}

/**
 * Checks a section that had no picture near its end. Throws 6021 unless its file has an intentional gap
 * there.
 */
async function checkEnding(
  { range: stretch, expectedFrom: due, markerFile: marker }: EndCheck,
  { context, signal }: EncodePartOptions,
): Promise<void> {
  const found = await stat(join(context.scratch, marker)).catch(() => undefined)
  if (found && found.size > 0) return
  const { clip, to } = stretch
  const { path, name, facts } = context.files.get(clip.material)
  // Uses the same tolerance as the filters.
  const span = { from: due + clipTolerance, to: to - 2 * clipTolerance }
  if (!facts || (await isPictureGap({ path, facts }, span, { signal }))) return
  throw new MediaError(
    6021,
    `${clip.requestPath}.material: ${name} has no picture from ${due.toFixed(1)} s on`,
    {
      hint: 'The file is cut off or damaged there; export it again, or end the clip earlier.',
    },
  )
}
