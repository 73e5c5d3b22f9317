import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import { drawSheet } from './draw-sheet.ts'
import { drawWaveform, waveformColumns } from './draw-wave.ts'
import { isStill } from './facts.ts'
import { framesAt } from './frames.ts'
import { fitInside, layOutSheet, sheetWidth } from './sheet-layout.ts'
import { levelMeter } from './peaks.ts'
import { compositeRgba, newPicture } from './raster.ts'
import type { RgbPicture } from './raster.ts'
import { inputArgs, runRaw } from './run.ts'
import { stillPicture } from './still.ts'
import { sheetBackground } from './tints.ts'

export interface PreviewOptions {
  readonly signal?: AbortSignal | undefined
}

/** A picture as JPEG. */
export interface PreviewImage {
  readonly jpeg: Uint8Array
  /** Whether all is on it: what had no time may come when it is asked for again. */
  readonly isWhole: boolean
  /** Of several frames, the places of those that could not be shown. */
  readonly empty?: readonly number[]
}

/** In bytes. Previews are JPEG because a PNG of the same frames was seen to be up to six times as large. */
const maxPreviewBytes = 150_000

/**
 * JPEG, at most 1280 wide and about 150 kB: evenly spaced frames on a grid, each with its time code
 * below; of a still picture a scaled copy. Throws 6014 without a picture, 6021 when no frame decodes.
 */
export async function contactSheet(
  path: string,
  facts: MediaFacts,
  options: PreviewOptions = {},
): Promise<Uint8Array> {
  const { video } = facts
  if (!video) {
    throw new MediaError(6014, 'the file has no picture to preview', {
      hint: 'It has sound: ask for preview waveform instead.',
    })
  }
  const picture = isStill(facts.container)
    ? await scaledCopy(path, { video, ...options })
    : await sheetOfFrames(path, { video, ...options })
  return encodeJpeg(picture, options)
}

interface PreviewSource extends PreviewOptions {
  readonly video: VideoFacts
}

async function scaledCopy(path: string, { video, signal }: PreviewSource): Promise<RgbPicture> {
  const side = Math.min(sheetWidth, Math.max(video.width, video.height))
  const size = fitInside(video, { width: side, height: side })
  const rgba = await stillPicture(path, { video, ...size, signal })
  if (!rgba) throw new MediaError(6021, 'the picture could not be decoded')
  const picture = newPicture(size.width, size.height, sheetBackground)
  compositeRgba(picture, { x: 0, y: 0, ...size }, rgba)
  return picture
}

async function sheetOfFrames(path: string, { video, signal }: PreviewSource): Promise<RgbPicture> {
  const { num, den } = video.frame_rate
  const durationMs = video.duration_ms
  const sheet = layOutSheet({ ...video, durationMs, frames: Math.floor((durationMs * num) / (1000 * den)) })
  const times = sheet.cells.map(({ timeMs }) => timeMs)
  const stepMs = durationMs / times.length
  const frames = await framesAt(path, { video, times, stepMs, ...sheet.frame, signal })
  if (frames.every((rgba) => rgba === undefined)) {
    throw new MediaError(6021, 'no frame of the video could be decoded')
  }
  return drawSheet(sheet, frames, stepMs)
}

const sampleRate = 16_000

/** Enough for six hours of sound, which take about 20 s on two cores. */
const waveformTimeoutMs = 120_000

/**
 * JPEG, 1280 wide and at most 150 kB: the first sound track over time, its peaks and, brighter, its
 * mean level around a middle line, with time marks. Throws 6014 without sound.
 */
export async function waveform(
  path: string,
  facts: MediaFacts,
  options: PreviewOptions = {},
): Promise<Uint8Array> {
  const sound = facts.audio[0]
  if (!sound || sound.duration_ms <= 0) {
    throw new MediaError(6014, 'the file has no sound to preview', {
      hint: facts.video
        ? 'It has a picture: ask for preview contact_sheet instead.'
        : 'It holds nothing that can be previewed: export it again.',
    })
  }
  // Not mixed to one channel: opposite phases would cancel each other.
  const channels = Math.min(2, Math.max(1, sound.channels))
  const meter = levelMeter(waveformColumns, Math.ceil((sound.duration_ms / 1000) * sampleRate * channels))
  await runRaw({
    args: [
      ...inputArgs(path),
      ...['-map', '0:a:0', '-ac', String(channels), '-ar', String(sampleRate), '-f', 's16le', 'pipe:1'],
    ],
    timeoutMs: waveformTimeoutMs,
    signal: options.signal,
    onOutput: meter.add,
  })
  return encodeJpeg(drawWaveform(meter.levels(), sound.duration_ms), options)
}

/** ffmpeg's JPEG quantisers from fine to coarse: the first that stays below the limit is taken. */
const qualities = [3, 5, 8, 12, 18, 31]

const jpegTimeoutMs = 20_000

/** A picture as JPEG of at most so many bytes, by default 150 kB, as fine as that allows. */
export async function encodeJpeg(
  { width, height, pixels }: RgbPicture,
  { signal, largest = maxPreviewBytes }: PreviewOptions & { readonly largest?: number },
): Promise<Uint8Array> {
  let jpeg = new Uint8Array()
  for (const quality of qualities) {
    const chunks: Buffer[] = []
    await runRaw({
      args: [
        ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-video_size', `${width}x${height}`, '-i', 'pipe:0'],
        ...['-c:v', 'mjpeg', '-pix_fmt', 'yuvj444p', '-q:v', String(quality), '-f', 'mjpeg', 'pipe:1'],
      ],
      input: pixels,
      timeoutMs: jpegTimeoutMs,
      signal,
      onOutput: (chunk) => chunks.push(chunk),
    })
    jpeg = Buffer.concat(chunks)
    if (jpeg.length <= largest) break
  }
  return jpeg
}
