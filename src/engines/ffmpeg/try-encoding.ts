import { pixelFormat, decodeArgs, type Footage, type FrameSelection } from './decode-frames.ts'
import { x264Args, propertyFilters, type EncoderSettings } from './encode-frames.ts'
import { logFilter } from './levelled-log.ts'
import { runRaw } from './run.ts'

/** Size and quality of an encoded frame. */
export interface EncodedFrame {
  readonly bytes: number
  /** PSNR of luma against the source, dB; 100 if identical. */
  readonly decibels: number
}

interface EncodeAndMeasureOptions extends FrameSelection, EncoderSettings {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Encodes frames with the settings of `decodeFrames` and `encodeFrames`, and discards the output. Returns one
 * entry per frame, in encoding order, or none if the range contains no frame.
 */
export async function encodeAndMeasure(
  footage: Footage,
  { signal, timeoutMs, ...wish }: EncodeAndMeasureOptions,
): Promise<EncodedFrame[]> {
  const { num, den } = footage.rate
  const frames: EncodedFrame[] = []
  await runRaw({
    args: [
      // Reads each frame, not x264's final mean PSNR, in which a black frame outweighs all others.
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
