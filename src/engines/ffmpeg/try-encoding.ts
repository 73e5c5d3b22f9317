import { MediaError } from '../../contract/errors.ts'
import { tail } from './child.ts'
import { formatOf, framesArgs, type Footage, type Wish } from './decode-frames.ts'
import { encoderArgs, tellingFilters, type Coding } from './encode-frames.ts'
import { runRaw } from './run.ts'

/** What frames became in the encoder. */
export interface Encoded {
  /** How near they are to the source, of brightness; at most 100. */
  readonly decibels: number
  /** Bytes of all of them. */
  readonly bytes: number
  /** Bytes of one that needs no other. */
  readonly keyBytes: number
  readonly count: number
}

interface Trying extends Wish, Coding {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Encodes frames as `decodeFrames` and `encodeFrames` would, and keeps nothing of it but what it comes to. */
export async function tryEncoding(
  footage: Footage,
  { signal, timeoutMs, ...wish }: Trying,
): Promise<Encoded> {
  const { num, den } = footage.rate
  // Told last, after all that a file can have told of itself.
  const log = tail(summaryBytes)
  await runRaw({
    args: [
      ...['-loglevel', 'info', ...(await framesArgs(footage, wish, tellingFilters(footage)))],
      ...[...encoderArgs(footage, wish, ['psnr=1']), '-pix_fmt', formatOf(footage), '-r', `${num}/${den}`],
      ...['-f', 'null', '-'],
    ],
    signal,
    timeoutMs,
    readLog(chunk) {
      log.add(chunk)
      return chunk
    },
  })
  const kinds = kindsIn(log.text())
  if (kinds.length === 0)
    throw new MediaError(6017, 'no picture of the film could be read where it was tried')
  const sum = (of: (kind: Kind) => number) => kinds.reduce((all, kind) => all + kind.count * of(kind), 0)
  const count = sum(() => 1)
  return {
    decibels: -10 * Math.log10(sum(({ decibels }) => 10 ** (-decibels / 10)) / count),
    bytes: sum(({ bytes }) => bytes),
    keyBytes: kinds.find(({ name }) => name === 'I')?.bytes ?? 0,
    count,
  }
}

/** More than x264 tells at its end. */
const summaryBytes = 8192

/** Frames of a kind, and what one is on average. */
interface Kind {
  readonly name: string
  readonly count: number
  readonly bytes: number
  readonly decibels: number
}

function kindsIn(log: string): Kind[] {
  const lines = log.matchAll(
    /^\[libx264 @ \w+\] frame ([IPB]):(\d+) +Avg QP: *[\d.]+ +size: *(\d+) +PSNR Mean Y: *([\d.]+)/gm,
  )
  return [...lines].map(([, name = '', count, bytes, decibels]) => ({
    name,
    ...{ count: Number(count), bytes: Number(bytes), decibels: Number(decibels) },
  }))
}
