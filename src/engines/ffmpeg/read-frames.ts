import type { VideoFacts } from '../../contract/media-facts.ts'
import type { Size } from '../../media/geometry.ts'
import { alphaDecoder, rejectDamaged } from './input-options.ts'
import { inputArgs, isInputError, runRaw } from './run.ts'

interface ReadFramesOptions {
  /** Options of the input. */
  readonly before: readonly string[]
  /** Filters that select the frames, applied before scaling. Empty: all frames. */
  readonly filters: string
  /** Number of frames to read. */
  readonly count: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Reads frames of a file's picture as RGBA, 4 bytes per pixel, row by row. Returns fewer frames than
 * requested if the others do not decode.
 */
export async function readFrames(path: string, size: Size, job: ReadFramesOptions): Promise<Uint8Array[]> {
  const scale = `scale=${size.width}:${size.height}:flags=bicubic,format=rgba`
  const filters = job.filters === '' ? scale : `${job.filters},${scale}`
  const chunks: Buffer[] = []
  try {
    await runRaw({
      args: [
        ...inputArgs(path, job.before),
        ...['-map', '0:V:0', '-frames:v', String(job.count), '-vf', filters, '-f', 'rawvideo', 'pipe:1'],
      ],
      timeoutMs: job.timeoutMs,
      signal: job.signal,
      onOutput: (chunk) => chunks.push(chunk),
    })
  } catch (error) {
    // Failures of the machine say nothing about the file and are rethrown.
    if (!isInputError(error)) throw error
  }
  const bytes = Buffer.concat(chunks)
  const frameBytes = size.width * size.height * 4
  return Array.from({ length: Math.floor(bytes.length / frameBytes) }, (_, index) =>
    bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
  )
}

/** Target size of a still picture, pixels. */
interface StillPictureOptions {
  readonly video: VideoFacts
  readonly width: number
  readonly height: number
  /** Filters applied between rotation and scaling. */
  readonly filters?: string
  /** Whether a damaged picture does not decode; else what is missing is grey. */
  readonly isWhole?: boolean
  readonly signal: AbortSignal | undefined
}

const stillTimeoutMs = 20_000

/**
 * Returns a still picture in display orientation as RGBA, 4 bytes per pixel, or undefined if it does not
 * decode.
 */
export async function stillPicture(
  path: string,
  { video, width, height, filters = '', isWhole = false, signal }: StillPictureOptions,
): Promise<Uint8Array | undefined> {
  const before = [...(await alphaDecoder(video)), ...(isWhole ? rejectDamaged : []), '-noautorotate']
  const [picture] = await readFrames(
    path,
    { width, height },
    {
      before,
      filters: [turnFilters[video.rotation] ?? '', filters].filter(Boolean).join(','),
      count: 1,
      timeoutMs: stillTimeoutMs,
      signal,
    },
  )
  return picture
}

/**
 * Rotates a still picture by its facts. Releases of ffmpeg differ in whether they rotate photos
 * automatically.
 */
const turnFilters: Readonly<Record<number, string>> = {
  90: 'transpose=clock',
  180: 'hflip,vflip',
  270: 'transpose=cclock',
}

interface DecodePngsOptions {
  /** Target size, pixels. */
  readonly width: number
  readonly height: number
  readonly signal: AbortSignal
}

const pngTimeoutMs = 60_000

/**
 * Decodes PNG pictures of equal size, with or without alpha, and scales them. Returns one RGBA array per
 * picture: 4 bytes per pixel, 0 to 255, row by row. Throws if ffmpeg returns a different number of bytes.
 */
export async function decodePngs(
  pngs: readonly Uint8Array[],
  { width, height, signal }: DecodePngsOptions,
): Promise<Uint8Array[]> {
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      // Filters reinitialized between a picture with alpha and one without could lose buffered frames.
      ...['-reinit_filter', '0', '-f', 'image2pipe', '-c:v', 'png', '-i', 'pipe:0'],
      ...['-vf', `scale=${width}:${height}:flags=bicubic,format=rgba`, '-f', 'rawvideo', 'pipe:1'],
    ],
    input: Buffer.concat(pngs),
    timeoutMs: pngTimeoutMs,
    signal,
    onOutput: (chunk) => void chunks.push(chunk),
  })
  const bytes = Buffer.concat(chunks)
  const frameBytes = width * height * 4
  if (bytes.length !== pngs.length * frameBytes) {
    throw new Error(`ffmpeg returned ${bytes.length} bytes for ${pngs.length} pictures of ${frameBytes}`)
  }
  return pngs.map((_, index) => bytes.subarray(index * frameBytes, (index + 1) * frameBytes))
}
