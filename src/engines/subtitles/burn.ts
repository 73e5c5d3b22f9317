import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requireFilters } from '../ffmpeg/filters.ts'
import { fileUrl, inputArgs, runFfmpeg, runRaw } from '../ffmpeg/run.ts'

/** What is laid over a picture. */
interface BurnInput {
  /** An ASS file. */
  readonly ass: string | Uint8Array
  /** An existing folder for it, of the caller's alone while it is burned. */
  readonly folder: string
  readonly signal: AbortSignal | undefined
}

/** A picture of three bytes a pixel, red, green, blue, with its subtitles at a time, ms. */
export async function burnFrame(
  picture: { readonly width: number; readonly height: number; readonly pixels: Uint8Array },
  { atMs, ...subtitles }: BurnInput & { readonly atMs: number },
): Promise<Uint8Array> {
  const filter = await subtitleFilter(subtitles)
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-video_size', `${picture.width}x${picture.height}`],
      ...['-i', 'pipe:0', '-vf', `setpts=PTS+${atMs / 1000}/TB,${filter}`],
      ...['-frames:v', '1', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
    ],
    cwd: subtitles.folder,
    input: picture.pixels,
    onOutput: (chunk) => chunks.push(chunk),
    ...{ timeoutMs: frameMs, signal: subtitles.signal },
  })
  return Buffer.concat(chunks)
}

/** How long one frame may take: the first use of fonts on a machine reads them all. */
const frameMs = 120_000

interface BurnVideoOptions extends BurnInput {
  readonly path: string
  readonly output: string
  /** x264's constant rate factor. */
  readonly crf: number
  readonly threads: number
  readonly timeoutMs: number
  readonly durationMs: number
  readonly onProgress?: (percent: number) => void
}

/** Burns subtitles into the picture of a video; its sound is copied. */
export async function burnVideo({ path, output, crf, threads, ...job }: BurnVideoOptions): Promise<void> {
  const { folder, timeoutMs, durationMs, signal, onProgress } = job
  const filter = await subtitleFilter(job)
  await runFfmpeg({
    args: [
      ...inputArgs(path),
      ...['-map', '0:V:0', '-map', '0:a?', '-vf', filter, '-c:v', 'libx264', '-preset', 'veryfast'],
      ...[
        '-crf',
        String(crf),
        '-pix_fmt',
        'yuv420p',
        '-threads',
        String(threads),
        '-c:a',
        'copy',
        fileUrl(output),
      ],
    ],
    ...{ cwd: folder, timeoutMs, durationMs, signal, onProgress },
  })
}

/**
 * The filter that draws the subtitles. ffmpeg reads names in a filter by rules of their own, so the file has one
 * that needs none, in the folder that ffmpeg runs in; no name of a caller ever stands in a filter.
 */
async function subtitleFilter({ ass, folder }: BurnInput): Promise<string> {
  await requireFilters(['ass'], {
    because: 'subtitles are drawn by libass',
    instead: 'ask for subtitles as a file instead',
  })
  await writeFile(join(folder, fileName), ass)
  return `ass=filename=${fileName}`
}

const fileName = 'subtitles.ass'
