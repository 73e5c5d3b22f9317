import { MediaError } from '../../src/contract/errors.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import { bt709, scaleTo, toneMap } from '../../src/engines/ffmpeg/colour.ts'
import { streamOutput } from '../../src/engines/ffmpeg/stream-output.ts'
import { fixedSizeChunks } from '../../src/platform/streams.ts'
import { checkDecodable } from '../../src/engines/ffmpeg/decodable.ts'
import { inputArgs } from '../../src/engines/ffmpeg/run.ts'
import { stillPicture } from '../../src/engines/ffmpeg/read-frames.ts'
import type { Size } from '../../src/media/geometry.ts'

/** Returns filters that make pixels square and crop the centre to an aspect ratio. */
function centreCropFilter({ width, height }: Size): string {
  const aspect = (width / height).toFixed(6)
  const side = (own: string, fromOther: string) => `'max(1,trunc(min(${own},${fromOther})))'`
  return [
    "scale=w='max(1,trunc(iw*sar))':h=ih,setsar=1",
    `crop=w=${side('iw', `ih*${aspect}`)}:h=${side('ih', `iw/${aspect}`)}:exact=1`,
  ].join(',')
}

const blurFilter = (sigma: number) => (sigma > 0 ? [`gblur=sigma=${sigma.toFixed(3)}`] : [])

/**
 * Reads the centre of an image, scaled to exactly this size, as RGBA pixels, row by row. blur: standard deviation in
 * pixels. Throws 6017 if the image cannot be decoded.
 */
export async function readImage(
  { path, name, facts }: StagedFile,
  size: Size,
  { blur = 0, signal }: { readonly blur?: number; readonly signal: AbortSignal },
): Promise<Uint8ClampedArray> {
  const scaled = `scale=${size.width}:${size.height}:flags=bicubic`
  const filters = [centreCropFilter(size), scaled, ...blurFilter(blur)].join(',')
  const pixels = facts?.video && (await stillPicture(path, { video: facts.video, ...size, filters, signal }))
  if (!pixels) throw new MediaError(6017, `${name}: the picture could not be decoded`)
  return new Uint8ClampedArray(pixels)
}

/** Frames of an endlessly repeated video at the result's frame rate. */
export interface VideoFrames {
  /** Size of the frames; smaller than the result if they are blurred. */
  readonly size: Size
  /** RGBA pixels of each frame, row by row. */
  readonly frames: AsyncGenerator<Uint8Array<ArrayBuffer>>
}

interface ReadVideoOptions {
  readonly size: Size
  readonly blur: number
  readonly fps: number
  readonly count: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Reads a background video. Throws 6021 if no frame can be decoded, because repeating it would never end. */
export async function readVideo(
  { path, name, facts }: StagedFile,
  options: ReadVideoOptions,
): Promise<VideoFrames> {
  const { blur, fps, count, signal, timeoutMs } = options
  const video = facts?.video
  if (!video) throw new MediaError(6001, 'the background contains no picture')
  try {
    await checkDecodable(path, { signal })
  } catch (error) {
    if (!(error instanceof MediaError) || error.code !== 6021) throw error
    throw new MediaError(6021, `${name}: no frame of the video could be decoded`, {
      cause: error,
      hint: 'Export it again, or omit background_file_id.',
    })
  }
  const reduction = blur >= 8 ? 4 : blur >= 3 ? 2 : 1
  const reduced = (pixels: number) => Math.max(2, 2 * Math.round(pixels / reduction / 2))
  const size = { width: reduced(options.size.width), height: reduced(options.size.height) }
  const filters = [
    `fps=${fps}:start_time=0`,
    centreCropFilter(size),
    scaleTo(video, size),
    ...(video.hdr ? toneMap : []),
    `setparams=${bt709}`,
    'format=yuv420p',
    ...blurFilter(blur / reduction),
    'format=rgba',
  ].join(',')
  const args = [
    ...inputArgs(path, ['-stream_loop', '-1']),
    ...['-map', '0:V:0', '-vf', filters, '-frames:v', String(count), '-f', 'rawvideo', 'pipe:1'],
  ]
  const frames = fixedSizeChunks(size.width * size.height * 4, streamOutput({ args, signal, timeoutMs }), {
    rest: 'dropped',
  })
  return { size, frames }
}
