import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { imageHint, MediaError } from '../../contract/errors.ts'
import type { Size } from '../../media/geometry.ts'
import { BilinearResizer } from '../../media/image/bilinear-resizer.ts'
import { exifOrientation, type Orientation } from '../../media/image/exif-orientation.ts'
import { rejectDamaged } from '../ffmpeg/input-options.ts'
import { firstPicturesArgs, parseFfprobe, queryFfprobe } from '../ffmpeg/ffprobe.ts'
import { inputArgs, isInputError, runRaw } from '../ffmpeg/run.ts'

/** Time limit of decoding, ms. The largest photos take a few seconds. */
const decodeTimeoutMs = 60_000

/** Filters that show a photo of each EXIF orientation upright. */
const orientationFilters: Readonly<Record<Orientation, readonly string[]>> = {
  1: [],
  2: ['hflip'],
  3: ['hflip', 'vflip'],
  4: ['vflip'],
  5: ['transpose=cclock_flip'],
  6: ['transpose=clock'],
  7: ['transpose=clock_flip'],
  8: ['transpose=cclock'],
}

/** Exact conversion of YCbCr to RGB, with interpolated chroma. */
const exactColours = 'scale=flags=bilinear+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact'

/**
 * Returns an image file upright on white, resized to a square without cropping: 3 bytes per pixel (red, green, blue), row
 * by row. Throws 6014 for what is no image, and 6021 if it does not decode.
 */
export async function readSquarePicture(
  path: string,
  side: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const stored = await storedSize(path, signal)
  const orientation = exifOrientation(await readFile(path))
  const { width, height } = orientation > 4 ? { width: stored.height, height: stored.width } : stored
  const resizer = new BilinearResizer({ width, height }, { width: side, height: side })
  const rows = rowReader(width, (row) => resizer.add(row))
  try {
    await runRaw({
      args: [
        ...[...inputArgs(path, [...rejectDamaged, '-noautorotate']), '-map', '0:V:0', '-frames:v', '1'],
        ...['-vf', [exactColours, 'format=rgba', ...orientationFilters[orientation]].join(',')],
        ...['-f', 'rawvideo', 'pipe:1'],
      ],
      ...{ timeoutMs: decodeTimeoutMs, signal, onOutput: rows.add },
    })
  } catch (error) {
    if (!isInputError(error)) throw error
    throw undecodableError(error)
  }
  if (rows.count() < height) throw undecodableError()
  return resizer.result()
}

/** Throws 6014 for what is no image, and 6021 for one that does not decode. */
export async function checkPicture(path: string, signal: AbortSignal): Promise<void> {
  await storedSize(path, signal)
}

function undecodableError(cause?: unknown): MediaError {
  return new MediaError(6021, 'the picture is damaged or could not be decoded', {
    cause,
    hint: imageHint,
  })
}

const decodedFrames = z.object({
  frames: z.array(z.object({ width: z.int().min(1), height: z.int().min(1) })).default([]),
})

/** Size of the decoded picture, before its orientation is applied. */
async function storedSize(path: string, signal: AbortSignal): Promise<Size> {
  try {
    const args = [...rejectDamaged, ...firstPicturesArgs, '-show_entries', 'frame=width,height']
    const { text } = await queryFfprobe(path, args, { signal })
    const [first] = parseFfprobe(decodedFrames, text).frames
    if (first) return first
  } catch (error) {
    if (!(error instanceof MediaError) || error.code !== 6017) throw error
    throw new MediaError(6014, 'the content is not an image', {
      cause: error,
      hint: imageHint,
    })
  }
  throw undecodableError()
}

/** Splits chunks of RGBA samples into rows of RGB on white. `add` receives chunks of any length. */
function rowReader(width: number, onRow: (rgb: Uint8Array) => void) {
  const rgba = new Uint8Array(width * 4)
  const rgb = new Uint8Array(width * 3)
  let [filled, rows] = [0, 0]
  return {
    add(chunk: Uint8Array): void {
      for (let from = 0; from < chunk.length;) {
        const taken = Math.min(rgba.length - filled, chunk.length - from)
        rgba.set(chunk.subarray(from, from + taken), filled)
        filled += taken
        from += taken
        if (filled < rgba.length) return
        placeOnWhite(rgba, rgb)
        onRow(rgb)
        filled = 0
        rows += 1
      }
    },
    /** Number of complete rows. */
    count: () => rows,
  }
}

/** Composites samples on white, rounded. */
function placeOnWhite(rgba: Uint8Array, rgb: Uint8Array): void {
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    const alpha = rgba[from + 3] ?? 255
    const white = 255 * (255 - alpha)
    for (let channel = 0; channel < 3; channel += 1)
      rgb[to + channel] = Math.round(((rgba[from + channel] ?? 0) * alpha + white) / 255)
  }
}
