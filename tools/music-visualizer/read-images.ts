import { MediaError } from '../../src/contract/errors.ts'
import type { StagedFile } from '../../src/contract/operation.ts'
import { bt709, scaleTo, toneMap } from '../../src/engines/ffmpeg/colour.ts'
import { fixedSizeChunks, streamOutput } from '../../src/engines/ffmpeg/output.ts'
import { checkDecodable } from '../../src/engines/ffmpeg/decodable.ts'
import { inputArgs } from '../../src/engines/ffmpeg/run.ts'
import { stillPicture } from '../../src/engines/ffmpeg/still.ts'
import type { Size } from '../../src/media/geometry.ts'

/** Cuts the middle of a shape out of a picture, its samples made square first. */
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
 * The middle of an image at exactly this size, as four-byte pixels; blurred by so many pixels. Throws 6017 where it
 * does not decode.
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

/** A video repeated without end, its frames at the times of the result's. */
export interface VideoFrames {
  /** Of one frame: smaller than the result where it is blurred anyway. */
  readonly size: Size
  /** Four-byte pixels of each frame. */
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

/** Reads a background video. Throws 6021 where no frame of it decodes: repeated, that would never end. */
export async function readVideo(
  { path, name, facts }: StagedFile,
  wish: ReadVideoOptions,
): Promise<VideoFrames> {
  const { blur, fps, count, signal, timeoutMs } = wish
  const video = facts?.video
  if (!video) throw new MediaError(6001, 'the background holds no picture')
  try {
    await checkDecodable(path, { signal })
  } catch (error) {
    if (!(error instanceof MediaError) || error.code !== 6021) throw error
    throw new MediaError(6021, `${name}: no frame of the video could be decoded`, {
      cause: error,
      hint: 'Export it again, or leave background_file_id out.',
    })
  }
  const smaller = blur >= 8 ? 4 : blur >= 3 ? 2 : 1
  const share = (pixels: number) => Math.max(2, 2 * Math.round(pixels / smaller / 2))
  const size = { width: share(wish.size.width), height: share(wish.size.height) }
  const filters = [
    `fps=${fps}:start_time=0`,
    centreCropFilter(size),
    scaleTo(video, size),
    ...(video.hdr ? toneMap : []),
    `setparams=${bt709}`,
    'format=yuv420p',
    ...blurFilter(blur / smaller),
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
