import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import { drawSheet, fitInside, layOutSheet, sheetWidth } from './draw-sheet.ts'
import { drawWaveform, levelMeter, waveformColumns } from './draw-waveform.ts'
import { isStill } from './facts.ts'
import { framesAt } from './frames-at.ts'
import { compositeRgba, newPicture, type RgbPicture, sheetBackground } from './raster.ts'
import { inputArgs, runRaw } from './run.ts'
import { stillPicture } from './read-frames.ts'

export interface PreviewOptions {
  readonly signal?: AbortSignal | undefined
}

/** A preview as JPEG. */
export interface PreviewImage {
  readonly jpeg: Uint8Array
  /** Whether everything is shown. A frame that timed out may succeed on the next request. */
  readonly isWhole: boolean
  /** Indexes of frames that could not be shown. */
  readonly empty?: readonly number[]
}

/** Size limit, bytes. Previews are JPEG because a PNG of the same frames was up to six times as large. */
const maxPreviewBytes = 150_000

/**
 * Returns a JPEG, at most 1280 pixels wide and about 150 kB. A video becomes a grid of evenly spaced frames
 * with time codes, a still picture a scaled copy. Throws 6014 without a picture and 6021 if no frame decodes.
 */
export async function contactSheet(
  path: string,
  facts: MediaFacts,
  options: PreviewOptions = {},
): Promise<Uint8Array> {
  const { video } = facts
  if (!video) {
    throw new MediaError(6014, 'the file has no picture to preview', {
      hint: 'It has sound: request preview waveform instead.',
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

/** Time limit, ms. Suffices for six hours of sound, which take about 20 s on two cores. */
const waveformTimeoutMs = 120_000

/**
 * Returns a JPEG, 1280 pixels wide and at most 150 kB, that shows the first audio stream over time: peaks,
 * and brighter, the mean level around a middle line, with time marks. Throws 6014 without sound.
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
        ? 'It has a picture: request preview contact_sheet instead.'
        : 'It has nothing that can be previewed: export it again.',
    })
  }
  // Stereo is not mixed to one channel, because opposite phases would cancel each other.
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

/** ffmpeg's JPEG quantizers, from fine to coarse. The first one below the size limit is used. */
const qualities = [3, 5, 8, 12, 18, 31]

const jpegTimeoutMs = 20_000

/** Encodes a picture as JPEG at the best quality within a size limit in bytes, by default 150 kB. */
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
