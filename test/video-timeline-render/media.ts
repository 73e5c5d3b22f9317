import { ffmpeg, grey } from '../video-split-screen/media.ts'

/** Number of bars of a numbered picture: 12 bits of its number, then 3 bits of its source. */
const barCount = 15
const numberBarCount = 12

/** Size of numbered pictures, pixels. */
export const numberedSize = { width: barCount * 16, height: 48 } as const

/** Factor by which drawn pictures are enlarged, because the filter that draws them is slow per pixel. */
const upscaleFactor = 8

interface NumberedClip {
  readonly source: number
  readonly seconds: number
  readonly rate: string
  /** Distance of key frames, frames. */
  readonly gop?: number
  /** Whether the rate varies: frame n starts at (n + delay of n) / rate. */
  readonly variable?: boolean
  /** Frequency of the sound; silent if omitted. */
  readonly hertz?: number
}

/** Delays of the frames of a variable rate, by frame number modulo 3, in frames. */
const frameDelays = [0, 0.5, 0.2] as const

/** Returns the start time of a frame of a numbered clip, seconds. */
export function frameStartTime(
  frame: number,
  { rate, variable = false }: Pick<NumberedClip, 'rate' | 'variable'>,
): number {
  const [num = 25, den = 1] = rate.split('/').map(Number)
  return ((frame + (variable ? (frameDelays[frame % 3] ?? 0) : 0)) * den) / num
}

/** Creates a video whose pictures encode their source and number in black and white bars. */
export async function numberedVideo(path: string, clip: NumberedClip): Promise<string> {
  const { source, seconds, rate, gop = 12, variable = false, hertz } = clip
  const bar = `floor(X*${upscaleFactor}/16)`
  const value = `if(lt(${bar},${numberBarCount}),N,${source})`
  const bitIndex = `if(lt(${bar},${numberBarCount}),${bar},${bar}-${numberBarCount})`
  const picture =
    `color=black:s=${numberedSize.width / upscaleFactor}x${numberedSize.height / upscaleFactor}:r=${rate},format=yuv420p,` +
    `geq=lum='if(mod(floor(${value}/pow(2,${bitIndex})),2),235,16)':cb=128:cr=128,` +
    `scale=${numberedSize.width}:${numberedSize.height}:flags=neighbor`
  const delay = `if(eq(mod(N,3),1),${frameDelays[1]},if(eq(mod(N,3),2),${frameDelays[2]},0))`
  const times = variable ? `,settb=1/90000,setpts='(N+${delay})/(${rate})/TB'` : ''
  const sound = hertz ? ['-f', 'lavfi', '-i', `sine=f=${hertz}:r=44100`] : []
  await ffmpeg(
    ...['-f', 'lavfi', '-i', picture + times, ...sound, '-t', String(seconds)],
    ...[
      '-fps_mode',
      variable ? 'vfr' : 'cfr',
      ...(variable ? ['-enc_time_base', '1:90000'] : []),
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-crf',
      '10',
    ],
    ...['-g', String(gop), '-keyint_min', String(gop), '-sc_threshold', '0'],
    ...(path.endsWith('.mp4') ? ['-video_track_timescale', '90000'] : []),
    ...['-c:a', 'aac', path],
  )
  return path
}

/** Returns the source and number of every picture of a result with the size of numbered pictures. */
export async function readNumbers(path: string): Promise<{ source: number; frame: number }[]> {
  // Passthrough, so that no picture is repeated before a late one.
  const pixels = await grey(path, ['-fps_mode', 'passthrough'])
  return numbersOf(pixels, numberedSize.width * numberedSize.height)
}

/** Returns the source and number of every picture. frameBytes: size of a picture, whose brightness comes first. */
export function numbersOf(pixels: Buffer, frameBytes: number): { source: number; frame: number }[] {
  return Array.from({ length: pixels.length / frameBytes }, (_, index) => {
    const bit = (bar: number) =>
      Number((pixels[index * frameBytes + 24 * numberedSize.width + bar * 16 + 8] ?? 0) > 128)
    const value = (from: number, count: number) =>
      Array.from({ length: count }, (_unused, at) => bit(from + at) * 2 ** at).reduce(
        (sum, one) => sum + one,
        0,
      )
    return { source: value(numberBarCount, barCount - numberBarCount), frame: value(0, numberBarCount) }
  })
}

type Pair = readonly [number, number]

/** Returns red, green and blue of the pixel at a position in shares of the sides of a picture. */
export function pixel(picture: Buffer, size: Pair, position: Pair): number[] {
  const [x, y] = [Math.floor(position[0] * size[0]), Math.floor(position[1] * size[1])]
  return [...picture.subarray((y * size[0] + x) * 3, (y * size[0] + x) * 3 + 3)]
}
