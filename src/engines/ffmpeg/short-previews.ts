import type { VideoFacts } from '../../contract/media-facts.ts'
import { bt709, bt709Tags, scaleTo, toneMap } from './colour.ts'
import { encodeJpeg, type PreviewOptions } from './preview.ts'
import { fitInside } from './draw-sheet.ts'
import { framesAt } from './frames-at.ts'
import { alphaDecoder } from './input-options.ts'
import { compositeRgba, newPicture, sheetBackground } from './raster.ts'
import { stillPicture } from './read-frames.ts'
import { inputArgs, isInputError, maxImagePixels, runFfmpeg, runRaw } from './run.ts'

/** Longest side of a preview of a video, pixels, and its duration, seconds. */
const previewSide = 480
const previewSeconds = 30

/** Duration of a preview of sound, seconds. */
const soundSeconds = 60

const timeoutMs = 10 * 60_000

/** Writes no tags, which may name a place or a person. */
const withoutTags = ['-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart', '-f', 'mp4']

/** Writes the first 30 s of a video as an mp4 of at most 480 px, with its first sound. */
export async function writeVideoPreview(
  path: string,
  target: string,
  { video, signal }: PreviewOptions & { readonly video: VideoFacts },
): Promise<void> {
  const even = (side: number) => Math.max(2, 2 * Math.round(side / 2))
  const scale = Math.min(1, previewSide / Math.max(video.width, video.height))
  const size = { width: even(video.width * scale), height: even(video.height * scale) }
  const filters = [
    scaleTo(video, size),
    ...(video.hdr ? toneMap : []),
    'format=yuv420p',
    `setparams=${bt709}`,
  ]
  await runFfmpeg({
    args: [
      ...inputArgs(path, [...(await alphaDecoder(video)), '-t', String(previewSeconds)]),
      ...['-map', '0:V:0', '-map', '0:a:0?', '-vf', [...filters, 'setsar=1'].join(',')],
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '28', ...bt709Tags],
      ...['-c:a', 'aac', '-b:a', '64k', '-ac', '2', ...withoutTags, target],
    ],
    timeoutMs,
    signal,
  })
}

/** Writes the first minute of a file's first sound as m4a. */
export async function writeSoundPreview(
  path: string,
  target: string,
  { signal }: PreviewOptions,
): Promise<void> {
  await runFfmpeg({
    args: [
      ...inputArgs(path, ['-t', String(soundSeconds)]),
      ...['-map', '0:a:0', '-c:a', 'aac', '-b:a', '96k', '-ac', '2', ...withoutTags, target],
    ],
    timeoutMs,
    signal,
  })
}

/** A picture as RGBA, 4 bytes per pixel, row by row. */
interface RgbaPicture {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

interface ReadPictureOptions extends PreviewOptions {
  readonly video: VideoFacts
  /** Time of the frame of a video, ms; undefined for a still picture. */
  readonly atMs?: number | undefined
  /** Longest side of the result, pixels. */
  readonly longestSide: number
}

/** Returns a picture of a file, as displayed and not enlarged; undefined if it does not decode. */
export async function readPicture(
  path: string,
  { video, atMs, longestSide, signal }: ReadPictureOptions,
): Promise<RgbaPicture | undefined> {
  const side = Math.min(longestSide, Math.max(video.width, video.height))
  const size = fitInside(video, { width: side, height: side })
  const [bytes] =
    atMs === undefined
      ? [await stillPicture(path, { video, ...size, signal })]
      : await framesAt(path, { video, times: [atMs], stepMs: 1000, ...size, signal })
  return bytes && { ...size, bytes }
}

/** Encodes a picture as JPEG of at most 150 kB. */
export async function encodeRgba(
  { width, height, bytes }: RgbaPicture,
  options: PreviewOptions,
): Promise<Uint8Array> {
  const picture = newPicture(width, height, sheetBackground)
  compositeRgba(picture, { x: 0, y: 0, width, height }, bytes)
  return await encodeJpeg(picture, options)
}

/** Returns the embedded picture of a sound file as JPEG of at most `longestSide` pixels; undefined without one. */
export async function readCoverImage(
  path: string,
  { longestSide, signal }: PreviewOptions & { readonly longestSide: number },
): Promise<Uint8Array | undefined> {
  const box = `'min(${longestSide},iw)':'min(${longestSide},ih)':force_original_aspect_ratio=decrease`
  const chunks: Buffer[] = []
  try {
    await runRaw({
      args: [
        ...inputArgs(path, ['-an', '-max_pixels', String(maxImagePixels)]),
        ...['-map', '0:v:0', '-frames:v', '1', '-vf', `scale=${box},format=yuvj420p`],
        ...['-c:v', 'mjpeg', '-q:v', '4', '-f', 'mjpeg', 'pipe:1'],
      ],
      timeoutMs: 60_000,
      signal,
      onOutput: (chunk) => chunks.push(chunk),
    })
  } catch (error) {
    // Most files have none.
    if (!isInputError(error)) throw error
  }
  return chunks.length > 0 ? Buffer.concat(chunks) : undefined
}
