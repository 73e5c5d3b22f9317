import { decodeFrames, uprightSize, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { evenSize } from '../../src/media/clean/boxes.ts'
import { Overlays, type LaidOver } from '../../src/media/clean/inpaint/overlay.ts'
import { patchesOf, type Marked } from '../../src/media/clean/masks.ts'
import { hertz } from '../../src/media/nominal-rate.ts'
import type { Stretch } from './part.ts'

/** Frames a second that are looked at, and of the whole film at most. */
const samplesPerSecond = 5
const mostSamples = 400

interface Reading {
  readonly threads: number
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Learns from frames of all of a film what lies still and translucent over what is marked: the more of the film is
 * seen, the surer, and all parts take the same away. Reads nothing where no mark stays long enough.
 */
export async function learnOverlays(
  { footage, marked }: { readonly footage: Footage & Stretch; readonly marked: Marked },
  reading: Reading,
): Promise<readonly LaidOver[]> {
  const { rate } = footage
  const size = uprightSize(footage.video)
  const patchesAt = patchesOf(marked, { size, rate })
  const step = Math.max(1, Math.round(hertz(rate) / samplesPerSecond), Math.ceil(footage.count / mostSamples))
  const first = Math.ceil(footage.first / step)
  const count = Math.max(0, Math.ceil((footage.first + footage.count) / step) - first)
  const overlays = new Overlays(evenSize(size))
  for (let sample = first; sample < first + count; sample += 1) overlays.expect(patchesAt(sample * step))
  if (!overlays.isExpected) return []
  // The same film at a slower rate: each of its frames is one of the film's.
  const slow = { ...footage, rate: { num: rate.num, den: rate.den * step } }
  let sample = first
  for await (const frame of decodeFrames(slow, { first, count, ...reading })) {
    overlays.sample(frame, patchesAt(sample * step))
    sample += 1
  }
  return overlays.known
}
