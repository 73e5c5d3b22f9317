import { rm, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import type { RunContext } from '../../contract/operation.ts'
import { pictureInput } from '../ffmpeg/alpha-seek.ts'
import { fileTimes } from '../ffmpeg/input-options.ts'
import { bt709Tags } from '../ffmpeg/colour.ts'
import { hasPictureWithin, isPictureGap } from '../ffmpeg/decodable.ts'
import { aacArgs, pcmInput, type Pcm } from '../ffmpeg/sound.ts'
import { fileUrl, inputArgs, type ProgressReport, runWithReports } from '../ffmpeg/run.ts'
import { formatRate } from '../../media/frame-rate.ts'
import {
  createPart,
  type TimelinePart,
  type SequentialRead,
  totalUnits,
} from '../../media/timeline/pieces.ts'
import { clipTolerance } from '../../media/timeline/timeline.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { type EndCheck, partGraph, type PictureOptions } from './picture.ts'

/** Default rate factor of the encoder. */
export const defaultCrf = 20

/**
 * Returns the encoder settings. All parts use the same settings because they are joined without re-encoding. veryfast:
 * the next slower preset takes a third more time, and files of the same quality are not smaller. crf: rate factor.
 */
export function timelineEncoderArgs(crf = defaultCrf): string[] {
  return ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', String(crf), '-pix_fmt', 'yuv420p']
}

/** Inputs of the encoding of one part. */
interface EncodePartOptions {
  readonly part: TimelinePart
  /** Sound of the result if the part is the whole result. A failure of the sound aborts `signal`. */
  readonly sound: Pcm | undefined
  readonly picture: PictureOptions
  readonly context: Pick<RunContext, 'files' | 'scratch'>
  readonly signal: AbortSignal
  readonly threads: number
  readonly timeoutMs: number
  /** Rate factor of the encoder. */
  readonly crf: number
  /** Called with the number of frames encoded so far. */
  readonly onFrames: (frames: number) => void
}

/**
 * Encodes one part of the picture to an mp4 at `path`. First decodes the groups other than the main one, one after
 * another, to temporary files of raw frames. Throws 6021 with the paths of the clips if pictures are missing.
 */
export async function encodePart(path: string, options: EncodePartOptions): Promise<void> {
  const { groups, mainGroup } = options.part
  const otherGroups = groups.filter((group) => group !== mainGroup)
  const rawPaths = otherGroups.map((_, index) => `${path}-${index}.yuv`)
  try {
    for (const [index, group] of otherGroups.entries()) {
      // Subtitles are drawn over the frames of all groups.
      const picture = { ...options.picture, subtitles: undefined }
      const groupOptions = {
        ...options,
        part: createPart([group]),
        picture,
        sound: undefined,
        onFrames: () => {},
      }
      await renderFrames({ path: rawPaths[index] ?? '', args: rawArgs, inputs: [] }, groupOptions)
    }
    const withoutTags = ['-map_metadata', '-1', '-map_chapters', '-1']
    const args = [...timelineEncoderArgs(options.crf), ...bt709Tags, ...withoutTags]
    const inputs = rawPaths.map((rawPath) => rawInputArgs(rawPath, options.picture))
    await renderFrames({ path, args, inputs }, options)
  } finally {
    await Promise.all(rawPaths.map((rawPath) => rm(rawPath, { force: true })))
  }
}

/** Output options for temporary raw frames, in the pixel format of the graphs. */
const rawArgs: readonly string[] = ['-c:v', 'rawvideo', '-pix_fmt', 'yuv420p', '-f', 'rawvideo']

function rawInputArgs(path: string, { canvas: { width, height, rate } }: PictureOptions): string[] {
  return [
    ...['-protocol_whitelist', 'file', '-f', 'rawvideo', '-pixel_format', 'yuv420p'],
    ...['-video_size', `${width}x${height}`, '-framerate', formatRate(rate), '-i', fileUrl(path)],
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

/**
 * Renders the frames of a part with one ffmpeg process. Throws 6021 if a file has fewer pictures than its header
 * states.
 */
async function renderFrames({ path, args, inputs }: RenderOutput, options: EncodePartOptions): Promise<void> {
  const { part, sound, picture, context, signal, timeoutMs } = options
  const threads = String(options.threads)
  const { reads, graph, endChecks } = partGraph(part, picture, parse(path).base)
  const readArgs = await Promise.all(reads.map((read) => readInputArgs(read, options)))
  let encodedFrames = 0
  const onReport = ({ frames }: ProgressReport) => {
    encodedFrames = frames
    options.onFrames(frames)
  }
  const damage = await runWithReports(
    {
      args: [
        ...[...fileTimes, ...readArgs.flat(), ...inputs.flat(), ...(sound ? pcmInput : [])],
        ...['-filter_complex_threads', threads, '-filter_complex', graph, '-map', '[v]'],
        ...(sound ? soundOutputArgs(sound, readArgs.length + inputs.length) : []),
        ...[...args, '-threads', threads, '-r', formatRate(picture.canvas.rate), path],
      ],
      ...{ cwd: context.scratch, signal, timeoutMs, input: sound?.input },
    },
    onReport,
  ).catch((error: unknown) => {
    signal.throwIfAborted()
    return damageError(error)
  })
  await checkEnds(endChecks, options)
  if (encodedFrames === totalUnits(part.groups.flat()) && !damage) return
  const clipPaths = endChecks.map(({ range }) => range.clip.requestPath).join(', ')
  throw new MediaError(6021, `pictures are missing in one of ${clipPaths}`, {
    cause: damage,
    hint: 'One of these files is damaged inside the range; export it again.',
  })
}

/** Returns the output options that encode sound. input: index of the input with the samples. */
function soundOutputArgs(sound: Pcm, input: number): string[] {
  return ['-map', `${input}:a:0`, ...aacArgs(sound), '-movflags', '+faststart']
}

/**
 * Returns an error of ffmpeg that indicates a damaged input, and throws any other error. ffmpeg fails if most of
 * its input does not decode, and does not name the file.
 */
function damageError(error: unknown): MediaError {
  if (error instanceof MediaError && error.code === 6017) return error
  throw error
}

/** Returns the input options of a read, which starts at a key frame before its first range. */
async function readInputArgs(
  [{ clip, from }]: SequentialRead,
  { picture, context, threads, signal }: EncodePartOptions,
): Promise<string[]> {
  const video = picture.videoOf(clip.material)
  const { path } = context.files.get(clip.material)
  const { options } = await pictureInput(path, { video, seconds: from, signal })
  return inputArgs(path, ['-threads', String(threads), '-an', ...options])
}

/**
 * Checks that pictures were decoded near the end of each range. Throws 6021 with the name of a file otherwise, unless the
 * file has an intentional gap there. A damaged file ends the decoding of all files, so if several ends are missing, only
 * files of which no such picture decodes alone count.
 */
async function checkEnds(endChecks: readonly EndCheck[], options: EncodePartOptions): Promise<void> {
  const limit = limitConcurrency(2)
  const select = async (
    checks: readonly EndCheck[],
    isSelected: (check: EndCheck, options: EncodePartOptions) => Promise<boolean>,
  ) => {
    const selected = await Promise.all(checks.map((check) => limit(() => isSelected(check, options))))
    return checks.filter((_, index) => selected[index])
  }
  const missing = await select(endChecks, isEndMissing)
  const [damaged] = missing.length > 1 ? await select(missing, isEndDamaged) : missing
  if (!damaged) return
  const { clip } = damaged.range
  const { name } = options.context.files.get(clip.material)
  throw new MediaError(
    6021,
    `${clip.requestPath}.material: ${name} has no picture after ${damaged.expectedFrom.toFixed(1)} s`,
    {
      hint: 'The file is cut off or damaged there; export it again, or end the clip earlier.',
    },
  )
}

/** Returns the end of a range in which a picture is expected, with the same tolerance as the filters. */
function endSpan({ range, expectedFrom }: EndCheck): { from: number; to: number } {
  return { from: expectedFrom + clipTolerance, to: range.to - 2 * clipTolerance }
}

/** Returns whether no picture was decoded near the end of a range, although the file has no intentional gap there. */
async function isEndMissing(check: EndCheck, { context, signal }: EncodePartOptions): Promise<boolean> {
  const marker = await stat(join(context.scratch, check.markerFile)).catch(() => undefined)
  if (marker && marker.size > 0) return false
  const { path, facts } = context.files.get(check.range.clip.material)
  return facts !== null && !(await isPictureGap({ path, facts }, endSpan(check), { signal }))
}

/** Returns whether no picture near the end of a range decodes when its file is read alone. */
async function isEndDamaged(
  check: EndCheck,
  { picture, context, signal }: EncodePartOptions,
): Promise<boolean> {
  const { material } = check.range.clip
  const { path } = context.files.get(material)
  return !(await hasPictureWithin(path, endSpan(check), { video: picture.videoOf(material), signal }))
}
