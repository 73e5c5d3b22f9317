import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { alphaDecoder } from './alpha-decoder.ts'
import { isStill } from './facts.ts'
import { inputArgs, runRaw } from './run.ts'

/** A frame to fetch: when, and the size to scale it to. */
export interface FrameWish {
  readonly facts: MediaFacts
  readonly timeMs: number
  readonly width: number
  readonly height: number
  readonly signal: AbortSignal | undefined
}

const frameMs = 20_000

/** Four-byte pixels (red, green, blue, alpha) of the frame on screen at a time; undefined when none decodes there. */
export async function frameAt(path: string, wish: FrameWish): Promise<Uint8Array | undefined> {
  const { facts, timeMs, width, height, signal } = wish
  if (!facts.video) return undefined
  const still = isStill(facts.container)
  const before = [
    ...(await alphaDecoder(facts.video)),
    ...(still ? ['-noautorotate'] : ['-noaccurate_seek', '-ss', String(timeMs / 1000)]),
  ]
  const scale = `scale=${width}:${height}:flags=bicubic,format=rgba`
  const filters = still ? `${turnFilters[facts.video.rotation] ?? ''}${scale}` : `${frameOnScreen},${scale}`
  const chunks: Buffer[] = []
  try {
    await runRaw({
      args: [
        ...inputArgs(path, before),
        ...['-map', '0:V:0', '-frames:v', '1', '-vf', filters, '-f', 'rawvideo', 'pipe:1'],
      ],
      timeoutMs: frameMs,
      signal,
      onOutput: (chunk) => chunks.push(chunk),
    })
  } catch (error) {
    if (!(error instanceof MediaError) || error.code === 6401) throw error
  }
  const rgba = Buffer.concat(chunks)
  return rgba.length === width * height * 4 ? rgba : undefined
}

/**
 * An accurate seek drops what lies before its time, and with it the frame still on screen then. So
 * reading starts at the key frame, the sought time counts as 0, and fps picks the last frame up to
 * 0; at one a second, as the frames after the first are wasted.
 */
const frameOnScreen = 'fps=1:start_time=0:round=up'

/** Turns a still picture by its facts: releases of ffmpeg differ in whether they turn photos by themselves. */
const turnFilters: Readonly<Record<number, string>> = {
  90: 'transpose=clock,',
  180: 'hflip,vflip,',
  270: 'transpose=cclock,',
}
