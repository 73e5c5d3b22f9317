import { pixelFormat, decodeArgs, type Footage, type FrameSelection } from './decode-frames.ts'
import { x264Args, propertyFilters, type EncoderSettings } from './encode-frames.ts'
import { logFilter } from './levelled-log.ts'
import { runRaw } from './run.ts'

/** What a frame became in the encoder. */
export interface EncodedFrame {
  readonly bytes: number
  /** How near it is to the source, of brightness; 100 where it is the same. */
  readonly decibels: number
}

interface EncodeAndMeasureOptions extends FrameSelection, EncoderSettings {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Encodes frames as `decodeFrames` and `encodeFrames` would, and keeps nothing of it but what each comes to, in the
 * order they are encoded; none where the file has none there.
 */
export async function encodeAndMeasure(
  footage: Footage,
  { signal, timeoutMs, ...wish }: EncodeAndMeasureOptions,
): Promise<EncodedFrame[]> {
  const { num, den } = footage.rate
  const frames: EncodedFrame[] = []
  await runRaw({
    args: [
      // Not what x264 tells of all at its end: in its mean of decibels a black frame outweighs all others.
      ...['-loglevel', 'repeat+level+debug', ...(await decodeArgs(footage, wish, propertyFilters(footage)))],
      ...[...x264Args(footage, wish, ['psnr=1']), '-pix_fmt', pixelFormat(footage), '-r', `${num}/${den}`],
      ...['-f', 'null', '-'],
    ],
    signal,
    timeoutMs,
    readLog: logFilter((line) => {
      const [, bytes, decibels] = encodedFrameLine.exec(line) ?? []
      if (bytes !== undefined) frames.push({ bytes: Number(bytes), decibels: Number(decibels) })
    }),
  })
  return frames
}

const encodedFrameLine = /^\[libx264 @ \w+\] \[debug\] frame= *\d+ .* size=(\d+) bytes PSNR Y: *([\d.]+) /
