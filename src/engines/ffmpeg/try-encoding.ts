import { formatOf, framesArgs, type Footage, type Wish } from './decode-frames.ts'
import { encoderArgs, tellingFilters, type Coding } from './encode-frames.ts'
import { levelledLog } from './levelled-log.ts'
import { runRaw } from './run.ts'

/** What a frame became in the encoder. */
export interface EncodedFrame {
  readonly bytes: number
  /** How near it is to the source, of brightness; 100 where it is the same. */
  readonly decibels: number
}

interface Trying extends Wish, Coding {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Encodes frames as `decodeFrames` and `encodeFrames` would, and keeps nothing of it but what each comes to, in the
 * order they are encoded; none where the file has none there.
 */
export async function tryEncoding(
  footage: Footage,
  { signal, timeoutMs, ...wish }: Trying,
): Promise<EncodedFrame[]> {
  const { num, den } = footage.rate
  const frames: EncodedFrame[] = []
  await runRaw({
    args: [
      // Not what x264 tells of all at its end: in its mean of decibels a black frame outweighs all others.
      ...['-loglevel', 'repeat+level+debug', ...(await framesArgs(footage, wish, tellingFilters(footage)))],
      ...[...encoderArgs(footage, wish, ['psnr=1']), '-pix_fmt', formatOf(footage), '-r', `${num}/${den}`],
      ...['-f', 'null', '-'],
    ],
    signal,
    timeoutMs,
    readLog: levelledLog((line) => {
      const [, bytes, decibels] = encoded.exec(line) ?? []
      if (bytes !== undefined) frames.push({ bytes: Number(bytes), decibels: Number(decibels) })
    }),
  })
  return frames
}

const encoded = /^\[libx264 @ \w+\] \[debug\] frame= *\d+ .* size=(\d+) bytes PSNR Y: *([\d.]+) /
