import * as z from 'zod'
import { parseJson } from '../../contract/bounded-json.ts'
import { MediaError } from '../../contract/errors.ts'
import { runChild } from './child.ts'
import { locateFfmpeg } from './locate.ts'
import { fileUrl, maxAlloc, safetyArgs, stalledError } from './run.ts'

export interface ProbeOptions {
  readonly signal?: AbortSignal | undefined
}

/** Limits of one ffprobe call. */
export interface FfprobeOptions extends ProbeOptions {
  /** Whether the query takes a short time for any file. A timeout is then a fault of the machine (6402). */
  readonly isBounded?: boolean
  /** Time limit, ms. The default suffices for headers or a few frames. */
  readonly timeoutMs?: number
  /** Longest time without progress, ms. */
  readonly stallMs?: number
}

/** Longest time without progress, ms: a query reads little. */
const defaultProbeStallMs = 30_000

const defaultTimeoutMs = 60_000

/** Largest accepted ffprobe output, bytes. One stream takes about 1 kB, and 100 streams are read. */
const maxOutputBytes = 2 ** 20

/**
 * Queries a file with ffprobe. Throws 6017 if the file is unreadable, 6402 on a fault of the machine, and the
 * reason of an abort.
 */
export async function queryFfprobe(
  path: string,
  args: readonly string[],
  options: FfprobeOptions,
): Promise<{ text: string; log: string }> {
  const tooLarge = new AbortController()
  const chunks: Buffer[] = []
  let bytes = 0
  const log = await runFfprobe(path, [...args, '-of', 'json=compact=1'], {
    ...options,
    signal: options.signal ? AbortSignal.any([options.signal, tooLarge.signal]) : tooLarge.signal,
    onOutput: (chunk) => {
      bytes += chunk.length
      if (bytes <= maxOutputBytes) chunks.push(chunk)
      else tooLarge.abort(tooManyStreams())
    },
  })
  return { text: Buffer.concat(chunks).toString('utf8'), log }
}

/**
 * Queries lists of any length with ffprobe. Calls `onEntry` per entry with its section name and requested
 * fields.
 */
export async function listWithFfprobe(
  path: string,
  args: readonly string[],
  { onEntry, ...options }: FfprobeOptions & { readonly onEntry: (entry: readonly string[]) => void },
): Promise<void> {
  let rest = ''
  await runFfprobe(path, [...args, '-of', 'csv'], {
    ...options,
    onOutput: (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = (lines.pop() ?? '').slice(0, maxEntryLength)
      for (const line of lines) onEntry(line.trim().split(','))
    },
  })
}

/** Upper limit for an entry of a packet, characters. */
const maxEntryLength = 4096

async function runFfprobe(
  path: string,
  args: readonly string[],
  {
    signal,
    isBounded = false,
    timeoutMs = defaultTimeoutMs,
    stallMs = defaultProbeStallMs,
    onOutput,
  }: FfprobeOptions & { readonly onOutput: (chunk: Buffer) => void },
): Promise<string> {
  const { ffprobe } = await locateFfmpeg()
  const {
    code,
    signal: endedBy,
    timedOut,
    stalledMs,
    log,
  } = await runChild({
    file: ffprobe,
    args: [
      ...['-hide_banner', '-loglevel', 'warning', '-max_alloc', maxAlloc, ...safetyArgs(path)],
      ...[...args, '-i', fileUrl(path)],
    ],
    timeoutMs,
    stallMs,
    signal,
    onOutput,
  })
  const cause = new Error(log)
  if (stalledMs !== undefined) throw stalledError('ffprobe', stalledMs, cause)
  if (timedOut) {
    const ifPersistent = isBounded ? '' : ' If the problem persists, the file is damaged: export it again.'
    throw new MediaError(isBounded ? 6402 : 6017, `the file could not be read within ${timeoutMs / 1000} s`, {
      cause,
      hint: `Try again when the machine is less busy.${ifPersistent}`,
    })
  }
  if (endedBy === 'SIGKILL') {
    throw new MediaError(6402, 'ffprobe was ended by SIGKILL, most often because memory ran out', {
      cause,
      hint: 'Try again when the machine has more free memory.',
    })
  }
  if (code !== 0)
    throw new MediaError(6017, 'the file could not be read as a supported media format', { cause })
  return log
}

function tooManyStreams(): MediaError {
  return new MediaError(6017, 'the file has more streams than are supported', {
    hint: 'Copy the picture and the sound into a new file: ffmpeg -i file.mkv -map 0:v -map 0:a -c copy copy.mkv',
  })
}

/** Parses ffprobe's JSON, which a hostile file may influence. Throws 6017 if it does not match the schema. */
export function parseFfprobe<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(parseJson(text))
  } catch (error) {
    throw new MediaError(6017, 'the metadata of the file is invalid', { cause: error })
  }
}

/**
 * Restricts ffprobe to the first 10 pictures of a file. Pictures after a damaged one or before the first key
 * frame do not decode.
 */
export const firstPicturesArgs: readonly string[] = ['-select_streams', 'V:0', '-read_intervals', '%+#10']

const shortText = z.string().max(200)
const boundedCount = z.int().min(0).max(1_000_000)

const sideData = z.array(z.object({ rotation: z.number().optional() })).default([])

const tagTexts = z.record(shortText, z.string()).default({})

const ffprobeStream = z.object({
  codec_type: shortText.optional(),
  codec_name: shortText.default('unknown'),
  codec_tag_string: shortText.optional(),
  width: boundedCount.default(0),
  height: boundedCount.default(0),
  sample_aspect_ratio: shortText.optional(),
  pix_fmt: shortText.default('unknown'),
  color_space: shortText.optional(),
  color_transfer: shortText.optional(),
  field_order: shortText.optional(),
  r_frame_rate: shortText.optional(),
  avg_frame_rate: shortText.optional(),
  start_time: shortText.optional(),
  duration: shortText.optional(),
  channels: boundedCount.default(0),
  sample_rate: shortText.optional(),
  disposition: z.object({ attached_pic: z.int().optional() }).optional(),
  tags: tagTexts,
  side_data_list: sideData,
})
export type FfprobeStream = z.infer<typeof ffprobeStream>

/** ffprobe's JSON output for `probeEntries` and `frameEntries`. The probed file may be hostile. */
export const ffprobeOutput = z.object({
  frames: z.array(z.object({ stream_index: z.int().optional(), side_data_list: sideData })).catch([]),
  streams: z.array(ffprobeStream).max(200).default([]),
  format: z.object({
    format_name: shortText,
    start_time: shortText.optional(),
    duration: shortText.optional(),
    size: shortText.optional(),
    bit_rate: shortText.optional(),
    tags: tagTexts,
  }),
})
export type FfprobeOutput = z.infer<typeof ffprobeOutput>

/** The fields requested from ffprobe. Restricting them excludes tags of any size. */
export const probeEntries = [
  'format=format_name,start_time,duration,size,bit_rate',
  'stream=codec_type,codec_name,codec_tag_string,width,height,sample_aspect_ratio,pix_fmt,color_space,color_transfer,field_order,' +
    'r_frame_rate,avg_frame_rate,start_time,duration,channels,sample_rate',
  'stream_disposition=attached_pic',
  'stream_tags=language,alpha_mode,duration,timecode',
  'format_tags=timecode',
  'stream_side_data=rotation',
].join(':')

/**
 * The stream index and rotation of a frame. The decoder knows a photo's orientation, the container does not.
 */
export const frameEntries = 'frame=stream_index:frame_side_data=rotation'

/** Returns whether a stream is a picture and not a cover. A stream without a size cannot be shown. */
export function isPictureStream({ codec_type, disposition, width, height }: FfprobeStream): boolean {
  return codec_type === 'video' && disposition?.attached_pic !== 1 && width > 0 && height > 0
}

/** Returns whether a frame of the first picture stream that is not a cover was decoded. */
export function hasPictureFrame({ frames, streams }: FfprobeOutput): boolean {
  const picture = streams.findIndex(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  )
  return frames.some(({ stream_index }) => stream_index === picture)
}

/** Returns the angle of the display matrix in the side data of a stream or frame. */
export function firstRotation({ side_data_list }: Pick<FfprobeStream, 'side_data_list'>): number | undefined {
  return side_data_list.find((side) => side.rotation !== undefined)?.rotation
}

/** Returns a tag of a stream or of the file. The case of tag names varies. */
export function streamTag({ tags }: Pick<FfprobeStream, 'tags'>, name: string): string | undefined {
  return Object.entries(tags).find(([key]) => key.toLowerCase() === name)?.[1]
}
