import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requireFilters } from '../ffmpeg/locate.ts'
import { fileUrl, inputArgs, runFfmpeg, runRaw } from '../ffmpeg/run.ts'

/** Subtitles to draw over a picture. */
interface BurnInput {
  /** Content of an ASS file. */
  readonly ass: string | Uint8Array
  /** An existing folder for that file, which nothing else uses meanwhile. */
  readonly folder: string
  readonly signal: AbortSignal | undefined
}

/** Draws the subtitles of a time, in milliseconds, over a picture. Pixels are rows of red, green, blue, 8 bits each. */
export async function burnFrame(
  picture: { readonly width: number; readonly height: number; readonly pixels: Uint8Array },
  { atMs, ...subtitles }: BurnInput & { readonly atMs: number },
): Promise<Uint8Array> {
  const filter = await subtitleFilter(subtitles)
  const chunks: Buffer[] = []
  await runRaw({
    args: [
      ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-video_size', `${picture.width}x${picture.height}`],
      // The frame ends at time 0, so that none is repeated before it.
      ...['-i', 'pipe:0', '-vf', `setpts=PTS+${atMs / 1000}/TB,${filter},setpts=0`],
      ...['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
    ],
    cwd: subtitles.folder,
    input: picture.pixels,
    onOutput: (chunk) => chunks.push(chunk),
    ...{ timeoutMs: frameMs, signal: subtitles.signal },
  })
  return Buffer.concat(chunks)
}

/** Time limit of one frame, in milliseconds: the first use of fonts on a machine reads all of them. */
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

/** Draws subtitles into the picture of a video and copies its audio. */
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
 * Writes the subtitles to a folder and returns the filter that draws them. The file has a fixed name in the working folder of
 * ffmpeg, so that filters never contain names of a caller, which would need escaping.
 */
export async function subtitleFilter({ ass, folder }: Pick<BurnInput, 'ass' | 'folder'>): Promise<string> {
  await requireFilters(['ass'], {
    because: 'subtitles are drawn by libass',
    instead: 'request subtitles as a file instead',
  })
  await writeFile(join(folder, fileName), ass)
  return `ass=filename=${fileName}`
}

const fileName = 'subtitles.ass'
